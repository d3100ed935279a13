/** Takes passwords out of text before anybody sees it. Text may hold URLs anywhere, so it works on text, not on URLs. */
export function mask(text: string): string {
  return (
    text
      // Up to the last @ of the word: a password with an unescaped @ or / in it must not show its second half.
      .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s]*@/gi, '$1:***@')
      .replace(/([?&](?:password|sslpassword)=)[^&\s]*/gi, '$1***')
      .replace(/(\bpassword\s*=\s*)('[^']*'|[^\s&]+)/gi, '$1***')
  )
}
