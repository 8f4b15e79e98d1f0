/**
 * The module `node:http`, for all that need more of it than types. To `import` it reads all it exports, WebSocket among them, and that
 * loads undici: 16 MB and 60 ms at each start of a program.
 */
export const nodeHttp = process.getBuiltinModule('node:http');
