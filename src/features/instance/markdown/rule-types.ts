/** The rules of the parser, by what they read. */
import type { MarkdownIt, Token } from 'markdown-it'

export type InlineRule = Parameters<MarkdownIt['inline']['ruler']['push']>[1]
export type BlockRule = Parameters<MarkdownIt['block']['ruler']['push']>[1]
export type CoreRule = Parameters<MarkdownIt['core']['ruler']['push']>[1]
export type BlockState = Parameters<BlockRule>[0]

/** A line without its indentation. */
export function lineAt(state: BlockState, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line])
}

/** The text of an inline token, without its markup. */
export function wordsOf(token: Token | undefined): string {
  return (token?.children ?? []).map(({ type, content }) => (type.startsWith('text') || type === 'code_inline' ? content : '')).join('')
}
