export { writefileAction, writeBelow, type FileRequest } from './writefile.ts';
