// Loaded before everything else, in every thread: the clock of this process is wrong by WRONG_BY_MS.
const wrongByMs = Number(process.env.WRONG_BY_MS)
const Right = Date
globalThis.Date = class extends Right {
  constructor(...given) {
    if (given.length === 0) super(Right.now() + wrongByMs)
    else super(...given)
  }

  static now() {
    return Right.now() + wrongByMs
  }
}
