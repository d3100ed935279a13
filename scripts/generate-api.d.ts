/** The text of api/public.d.ts, read from dist. */
export function publicApi(): string
