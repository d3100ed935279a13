/** Milliseconds on the one clock that all processes of a machine share and nobody sets. */
export function sharedMs() {
  return Number(process.hrtime.bigint()) / 1e6
}
