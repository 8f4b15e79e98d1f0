/** Reads a whole database beside the server, through a connection that cannot write, and posts what is damaged. */
import { parentPort, workerData } from 'node:worker_threads';
import { verifyDatabase } from '@tinkerbell/store-sqlite/integrity';

parentPort?.postMessage(verifyDatabase(String(workerData), { depth: 'full' }).damages, []);
