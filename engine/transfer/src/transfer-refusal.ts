/** Why nothing is copied, or no more: for a person, with what to do about it. */
export class TransferRefusal extends Error {
  override readonly name = 'TransferRefusal';
  readonly advice: string;

  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }
}
