/** Hits in files: lines with their numbers, each a link. */
import { addressAt } from '../../addresses/repository.ts'
import { foldCase } from '../../db/fold-case.ts'
import type { CodeHit } from '../../features/search/code-search/code-search.ts'
import { parseCodeQuery } from '../../features/search/code-search/code-search.ts'
import { type Html, html } from '../../html/html.ts'
import { icon, isolated } from '../frame/parts.ts'

/** Characters shown of a longer line. */
const maxLine_chars = 500

/** @param paths full paths of projects by id; shown if `withProject` */
export function codeFound(hits: CodeHit[], search: string, paths: Map<number, string>, withProject: boolean): Html {
  return hitList(hits, search, (hit) => {
    const project = paths.get(hit.project_id) ?? ''
    const address = addressAt(project, 'blob', hit.ref, hit.path)
    const place = withProject && html`<a href="/${project}">${isolated(project)}</a> / `
    return {
      heading: html`${icon('file')} ${place}<a href="${address}">${isolated(hit.path)}</a>`,
      addressOfLine: (line) => `${address}#L${line}`,
    }
  })
}

/** @param addressOf URL of the page of a file; null for a file of the wiki that isn't a page */
export function wikiFound(hits: CodeHit[], search: string, addressOf: (path: string) => string | null): Html {
  return hitList(hits, search, ({ path }) => {
    const address = addressOf(path)
    return { heading: html`${icon('file')} ${address === null ? isolated(path) : html`<a href="${address}">${isolated(path)}</a>`}` }
  })
}

interface ShownHit {
  heading: Html
  /** Without it, only the numbers of lines are shown. */
  addressOfLine?: (line: number) => string
}

function hitList(hits: CodeHit[], search: string, show: (hit: CodeHit) => ShownHit): Html {
  const { text } = parseCodeQuery(search)
  return html`
    <ul class="hits">
      ${hits.map((hit) => {
        const { heading, addressOfLine } = show(hit)
        return html`
          <li>
            <h2>${heading}</h2>
            ${hit.data !== '' && html`<pre tabindex="0" aria-label="${`Lines of ${hit.path}`}">${linesOf(hit, text, addressOfLine)}</pre>`}
          </li>
        `
      })}
    </ul>
  `
}

function linesOf({ data, startline }: CodeHit, text: string, addressOfLine: ShownHit['addressOfLine']): Html[] {
  const lines = data.replace(/\n$/, '').split('\n')
  return lines.map((line, index) => {
    const number = startline + index
    const shown = addressOfLine ? html`<a href="${addressOfLine(number)}">${number}</a>` : html`<span>${number}</span>`
    // As a value, since a line break in a template is a space.
    return html`${shown} ${marked(line.slice(0, maxLine_chars), text)}${'\n'}`
  })
}

/** Every occurrence of the text in the line, ignoring case. If the length of letters changes with their case, none is marked. */
function marked(line: string, text: string): Html {
  const [folded, wanted] = [foldCase(line), foldCase(text)]
  if (wanted === '' || folded.length !== line.length) return html`${line}`
  const parts: Html[] = []
  let at = 0
  for (let found = folded.indexOf(wanted); found >= 0; found = folded.indexOf(wanted, at)) {
    parts.push(html`${line.slice(at, found)}<mark>${line.slice(found, found + wanted.length)}</mark>`)
    at = found + wanted.length
  }
  return html`${parts}${line.slice(at)}`
}
