/**
 * The size limits of fields. Every text, list and map of our kinds has one of these limits. They are far
 * above the sizes of objects in use: they refuse no object that a person or an agent wrote, and accept none
 * that could only be an attack.
 */

/**
 * The characters of a name, an address or a line. A kernel command line has 4096, and a message of an action
 * 8192.
 */
export const TEXT_MAX = 65_536;
/**
 * The characters of a document: a template, user data, a script, a value of an environment. An object may
 * have as many.
 */
export const DOCUMENT_MAX = 1_572_864;
/** RFC 3339 with nanoseconds has 35 characters. */
export const TIME_MAX = 64;
/** A number with a unit. */
export const QUANTITY_MAX = 128;
/**
 * The items of a list. The rendered text of a workflow, 256 KiB, has room for 4,000 actions of the shortest
 * kind.
 */
export const LIST_MAX = 4096;
/** The entries of a map: as many as the fields that the API accepts in one object. */
export const MAP_MAX = 1024;
/**
 * The network interfaces of a machine, including virtual functions. A rack switch that is provisioned has
 * 130.
 */
export const INTERFACES_MAX = 512;
/** The patterns of one rule set. Each is read for each machine that enrolls. */
export const RULES_MAX = 256;
