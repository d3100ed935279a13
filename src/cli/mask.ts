/** Takes passwords out of text before anybody sees it. Text may hold URLs anywhere, so it works on text, not on URLs. */
export function mask(text: string): string {
  return (
    text
      // Up to the last @ of the word: a password with an unescaped @ or / in it must not show its second half. In a line of JSON the word ends
      // with its field, or the address before it would go as well.
      .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):(?:(?!",")[^\s])*@/gi, '$1:***@')
      .replace(/([?&](?:password|sslpassword)=)[^&\s]*/gi, '$1***')
      .replace(/(\bpassword\s*=\s*)('[^']*'|[^\s&]+)/gi, '$1***')
  )
}

export function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
}

/** What an address may say besides where it leads: these tell a reader which one it is and are never a secret. */
const OPEN_PARAMETERS =
  /^(sslmode|sslrootcert|sslcert|application_name|connect_timeout|host|port|user|dbname|region|search_path|options|target_session_attrs|pgbouncer|schema)$/i

/** Without its password, wherever that stands, and without the values of parameters that are not known to be open. */
export function maskAddress(text: string): string {
  const [whole = '', fragment] = mask(text).split('#', 2)
  const [place = '', query] = whole.split(/\?(.*)/s, 2)
  const open = query
    ?.split('&')
    .map((pair) => {
      const [name = '', value] = pair.split(/=(.*)/s, 2)
      return value === undefined || OPEN_PARAMETERS.test(decoded(name)) ? pair : `${name}=***`
    })
    .join('&')
  return `${place}${open === undefined ? '' : `?${open}`}${fragment === undefined ? '' : '#***'}`
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
