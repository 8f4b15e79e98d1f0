import { collectionOf, eventKind, type Event } from '@tinkerbell/resources';
import { Collection } from '@tinkerbell/store-contract';

export const eventCollection = new Collection<Event>(collectionOf(eventKind));
