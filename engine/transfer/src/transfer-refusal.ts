/** The reason why the transfer does not start or does not continue, with advice for the operator. */
export class TransferRefusal extends Error {
  override readonly name = 'TransferRefusal';
  readonly advice: string;

  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }
}
