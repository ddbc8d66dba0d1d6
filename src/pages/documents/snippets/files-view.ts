/** The files of a snippet: code with highlighting, Markdown rendered. */
import { snippetFileAddress } from '../../../addresses/documents.ts'
import { isMisleading, markupOf } from '../../../features/instance/markdown/markdown.ts'
import { highlightTexts } from '../../../features/repository/highlighting/highlighting.ts'
import type { Content } from '../../../features/snippets/snippets.ts'
import { type Html, html } from '../../../html/html.ts'
import { count, size } from '../../../html/phrases.ts'
import { callerOf } from '../../../http/caller/callers.ts'
import { isolated } from '../../frame/parts.ts'
import { codeOf, linesOf, plainLines } from '../../repository/files/code.ts'
import type { SeenSnippet } from './seen.ts'
import { sentences } from './sentences.ts'

/** Limit for all files together: with more lines, browsers take seconds for the page. */
const maxLines = 10_000

/** Longer Markdown files are shown as source. */
const maxProse_chars = 64 * 1024

/** The Markdown to render for each; null for files shown as code. */
export function proseOfFiles(files: readonly Content[]): Array<string | null> {
  return files.map((file) => (isProse(file) ? file.content : null))
}

function isProse({ path, content }: Content): boolean {
  return markupOf(path) === 'markdown' && content.trim() !== '' && content.length <= maxProse_chars
}

/**
 * @param prose the rendered texts of `proseOfFiles`
 * @param address URL of the page of the snippet
 */
export async function filesView(
  { app, user, ip }: SeenSnippet,
  files: readonly Content[],
  prose: ReadonlyArray<Html | null>,
  address: string,
): Promise<Html> {
  const texts = files.map((file) => ({ path: file.path, text: isProse(file) ? '' : file.content }))
  const colours = await highlightTexts(app.git, callerOf(user, ip), texts)
  const views: Html[] = []
  let left = maxLines
  for (const [index, file] of files.entries()) {
    const lines = linesOf(file.content)
    const rendered = prose[index]
    const shown = rendered ? 0 : Math.min(left, lines.length)
    left -= shown
    const coloured = colours[index]?.lines ?? plainLines(lines.slice(0, shown))
    const content = rendered
      ? rendered
      : html`
        ${codeOf(coloured.slice(0, shown), 1, index === 0 ? '' : `file-${index + 1}-`)}${
          shown < lines.length && html`<p class="empty">${sentences.linesLeftOut(shown, lines.length)}</p>`
        }
      `
    views.push(fileView(file, { address, index, lines: lines.length, content }))
  }
  return html`${views}`
}

function fileView(
  { path, content: text }: Content,
  { address, index, lines, content }: { address: string; index: number; lines: number; content: Html },
): Html {
  const facts = `${count(lines, 'line')}, ${size(Buffer.byteLength(text))}`
  const warning = isMisleading(text) && html`<p class="problems">${sentences.misleading}</p>`
  return html`
    <section class="file" id="file-${index + 1}" aria-label="${path}">
      <header>
        <h2>${isolated(path)}</h2>
        <span class="hint">${facts}</span> <a class="button" href="${snippetFileAddress(address, path)}">Raw</a>
      </header>
      ${warning}${content}
    </section>
  `
}
