/**
 * The URL of the image in the virtual drive of a Machine whose protocol needs this server to serve it. Its server inserts it again after a
 * restart, and ejects it when the annotation is removed.
 */
export const MEDIA_ANNOTATION = 'tinkerbell.org/bmc-media-url';
