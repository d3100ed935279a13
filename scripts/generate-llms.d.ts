/** The text of docs/llms.txt; with `html`, as it stands in the built site. */
export function llmsIndex(ending?: 'md' | 'html'): string
/** Every page but decisions and the requirements, one after the other. */
export function llmsFull(): string
/** The text of docs/skill/SKILL.md. */
export function skillPage(): string
