/** Reads a whole database through a read-only connection while the server runs, and posts the damage. */
import { parentPort, workerData } from 'node:worker_threads';
import { verifyDatabase } from '@tinkerbell/store-sqlite/integrity';

parentPort?.postMessage(verifyDatabase(String(workerData), { depth: 'full' }).damages, []);
