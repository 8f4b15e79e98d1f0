/** What a BMC reports about parts of any kind. */
import { Type } from '../schema.ts';
import { int32, optional } from '../schema-builders.ts';

export const text = (description: string) => optional(description, Type.String());

const status = {
  health: text('Health as the BMC reports it, for example `OK` or `Critical`.'),
  postCode: optional('Code of the power-on self-test (POST). 0: no error. For firmware only.', int32()),
  postCodeStatus: text('Meaning of the POST code. For firmware only.'),
  state: text('Operating state as the BMC reports it, for example `Enabled` or `Absent`.'),
};

export const componentStatus = optional('Health and state of the part.', Type.Object(status));

export const firmwareVersion = text('Version of its firmware.');
export const model = text('Model name.');
export const serialNumber = text('Serial number.');
export const vendor = text('Manufacturer of the part.');
export const partDescription = text('Description as the BMC reports it.');

/** The fields that every part has. */
export const component = { firmwareVersion, model, serialNumber, status: componentStatus, vendor };
