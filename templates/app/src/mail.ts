/** Sends mail. Replace `send` with a call of your mail provider; the tests replace it with failures. */
export interface Mail {
  readonly to: string
  readonly subject: string
}

export const mail = {
  async send({ to, subject }: Mail, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    console.log(`mail to ${to}: ${subject}`)
  },
}
