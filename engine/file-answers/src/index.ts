export { answerFor, type DescribedFile, type FileAnswer } from './file-answer.ts';
export type { ByteRange } from './byte-range.ts';
export { bytesOf, multipartStream } from './multipart.ts';
export { sizeAndTimeTag } from './preconditions.ts';
