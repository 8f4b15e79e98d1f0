/**
 * Loads the module `node:http`, for code that needs more than its types. An `import` reads all exports, including WebSocket,
 * which loads undici: 16 MB and 60 ms at each start of a program.
 */
export const nodeHttp = process.getBuiltinModule('node:http');
