/** Hits in files: lines with their numbers, each a link. */

import { addressAt } from '../../addresses/repository.ts'
import { type CodeHit, type LineMatcher, parseCodeQuery } from '../../features/search/code-search/code-search.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { icon, isolated } from '../frame/parts.ts'

/** Characters shown of a longer line. */
const maxLine_chars = 500

/** The search, whose matches are marked in the lines. */
interface Sought {
  words: string
  regex?: boolean
}

/** @param paths full paths of projects by their ids; their names are shown where `withProject` */
export function codeFound(hits: CodeHit[], sought: Sought, paths: Map<number, string>, withProject: boolean): Html {
  return hitList(hits, sought, (hit) => {
    const project = paths.get(hit.project_id) ?? ''
    const address = addressAt(project, 'blob', hit.ref, hit.path)
    const place = withProject && html`<a href="/${project}">${isolated(project)}</a> / `
    return {
      heading: html`${icon('file')} ${place}<a href="${address}">${isolated(hit.path)}</a>`,
      addressOfLine: (line) => `${address}#L${line}`,
    }
  })
}

/** @param addressOf of the page of a file; null for a file of the wiki that is no page */
export function wikiFound(hits: CodeHit[], words: string, addressOf: (path: string) => string | null): Html {
  return hitList(hits, { words }, ({ path }) => {
    const address = addressOf(path)
    return { heading: html`${icon('file')} ${address === null ? isolated(path) : html`<a href="${address}">${isolated(path)}</a>`}` }
  })
}

interface ShownHit {
  heading: Html
  /** Without it, only the numbers of lines are shown. */
  addressOfLine?: (line: number) => string
}

function hitList(hits: CodeHit[], { words, regex }: Sought, show: (hit: CodeHit) => ShownHit): Html {
  const { matcher } = parseCodeQuery(words, { regex })
  return html`
    <ul class="hits">
      ${hits.map((hit) => {
        const { heading, addressOfLine } = show(hit)
        const lines = linesOf(hit, matcher, addressOfLine)
        return html`
          <li>
            <h2>${heading}</h2>
            ${hit.data !== '' && html`<pre tabindex="0" aria-label="${t`Lines of ${hit.path}`}">${lines}</pre>`}
          </li>
        `
      })}
    </ul>
  `
}

function linesOf({ data, startline }: CodeHit, matcher: LineMatcher, addressOfLine: ShownHit['addressOfLine']): Html[] {
  const lines = data.replace(/\n$/, '').split('\n')
  return lines.map((line, index) => {
    const number = startline + index
    const shown = addressOfLine ? html`<a href="${addressOfLine(number)}">${number}</a>` : html`<span>${number}</span>`
    // As a value: a line break of a template is a space.
    return html`${shown} ${marked(line.slice(0, maxLine_chars), matcher)}${'\n'}`
  })
}

/** The line with every place that was found in it. */
function marked(line: string, { placesIn }: LineMatcher): Html {
  const parts: Html[] = []
  let at = 0
  for (const [start, end] of placesIn(line)) {
    parts.push(html`${line.slice(at, start)}<mark>${line.slice(start, end)}</mark>`)
    at = end
  }
  return html`${parts}${line.slice(at)}`
}
