/**
 * How much a field may hold. Every text, list and map of our kinds has one of these limits, far above what objects in use have, so that
 * no object is refused for its size that a person or an agent made, and none is accepted that could only be meant to do harm.
 */

/** Characters of a name, an address, a line. A kernel command line has 4096; a message of an action 8192. */
export const TEXT_MAX = 65_536;
/** Characters of a document: a template, user data, a script, a value of an environment. As large as an object may be. */
export const DOCUMENT_MAX = 1_572_864;
/** RFC 3339 with nanoseconds has 35 characters. */
export const TIME_MAX = 64;
/** A number with a unit. */
export const QUANTITY_MAX = 128;
/** Items of a list. The rendered text of a workflow, 256 KiB, has room for 4,000 actions of the shortest kind. */
export const LIST_MAX = 4096;
/** Entries of a map: as many fields as the API takes in one object. */
export const MAP_MAX = 1024;
/** Network interfaces of a machine, virtual functions included; a rack switch that is provisioned has 130. */
export const INTERFACES_MAX = 512;
/** Patterns of one rule set: each is read for each machine that enrolls. */
export const RULES_MAX = 256;
