export interface PageGroup {
  readonly title: string
  readonly pages: string[]
}
export const root: string
export function sitePages(): string[]
export function addressOf(file: string): string
export function titleOf(file: string): string
export function summaryOf(file: string): string
export function groupedPages(): PageGroup[]
