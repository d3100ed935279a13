/** Removes passwords from text before it is printed. Works on any text, because URLs may occur anywhere in it. */
export function mask(text: string): string {
  return (
    text
      // Up to the last @ before a space: a password with an unescaped @ or / must not show its second half. In a line of JSON the match ends at
      // the field's end, so that it does not swallow the fields in between.
      .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):(?:(?!",")[^\s])*@/gi, '$1:***@')
      .replace(/([?&](?:password|sslpassword)=)[^&\s]*/gi, '$1***')
      .replace(/(\bpassword\s*=\s*)('[^']*'|[^\s&]+)/gi, '$1***')
  )
}

export function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
}

/** Query parameters of an address that are never secret. */
const PUBLIC_PARAMETERS =
  /^(sslmode|sslrootcert|sslcert|application_name|connect_timeout|host|port|user|dbname|region|search_path|options|target_session_attrs|pgbouncer|schema)$/i

/** Removes the password of an address and the values of all parameters that are not known to be public. */
export function maskAddress(text: string): string {
  const [whole = '', fragment] = mask(text).split('#', 2)
  const [place = '', query] = whole.split(/\?(.*)/s, 2)
  const shownQuery = query
    ?.split('&')
    .map((pair) => {
      const [name = '', value] = pair.split(/=(.*)/s, 2)
      return value === undefined || PUBLIC_PARAMETERS.test(decoded(name)) ? pair : `${name}=***`
    })
    .join('&')
  return `${place}${shownQuery === undefined ? '' : `?${shownQuery}`}${fragment === undefined ? '' : '#***'}`
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
