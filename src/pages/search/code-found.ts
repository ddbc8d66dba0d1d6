/** Hits in files: lines with their numbers, each a link to its place. */
import type { CodeHit } from '../../features/search/code-search/code-search.ts'
import { parseCodeQuery } from '../../features/search/code-search/code-search.ts'
import { type Html, html } from '../frame/html.ts'
import { icon, isolated } from '../frame/parts.ts'
import { addressAt } from '../project/address.ts'

/** Of a line that is longer. */
const maxLine_chars = 500

/** @param paths full paths of projects by their ids; their names are shown where `withProject` */
export function codeFound(hits: CodeHit[], search: string, paths: Map<number, string>, withProject: boolean): Html {
  const { text } = parseCodeQuery(search)
  return html`<ul class="hits">${hits.map((hit) => {
    const project = paths.get(hit.project_id) ?? ''
    const address = addressAt(project, 'blob', hit.ref, hit.path)
    return html`<li><h2>${icon('file')} ${withProject && html`<a href="/${project}">${isolated(project)}</a> / `}<a href="${address}">${isolated(hit.path)}</a></h2>
${hit.data !== '' && html`<pre tabindex="0" aria-label="${`Lines of ${hit.path}`}">${linesOf(hit, address, text)}</pre>`}</li>`
  })}</ul>`
}

function linesOf({ data, startline }: CodeHit, address: string, text: string): Html[] {
  const lines = data.replace(/\n$/, '').split('\n')
  return lines.map((line, index) => {
    const number = startline + index
    return html`<a href="${`${address}#L${number}`}">${number}</a> ${marked(line.slice(0, maxLine_chars), text)}
`
  })
}

/** Every place of the text in the line, whatever the case. Where letters change their length with their case, none is marked. */
function marked(line: string, text: string): Html {
  const [folded, wanted] = [line.toLowerCase(), text.toLowerCase()]
  if (wanted === '' || folded.length !== line.length) return html`${line}`
  const parts: Html[] = []
  let at = 0
  for (let found = folded.indexOf(wanted); found >= 0; found = folded.indexOf(wanted, at)) {
    parts.push(html`${line.slice(at, found)}<mark>${line.slice(found, found + wanted.length)}</mark>`)
    at = found + wanted.length
  }
  return html`${parts}${line.slice(at)}`
}
