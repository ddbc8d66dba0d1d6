/** Blame: the commit that last changed each line of a file. */

import { addressAt, commitAddress } from '../../../addresses/repository.ts'
import { highlightBlob } from '../../../features/repository/highlighting/highlighting.ts'
import { type Blamed, blame } from '../../../git/history/blame.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { readCommits } from '../../../git/objects/read.ts'
import { textOf } from '../../../git/objects/text-of.ts'
import { shortRevision } from '../../../git/refs/names.ts'
import { Html, html } from '../../../html/html.ts'
import { ago, count, size } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { project } from '../../../http/declare/rules.ts'
import { page } from '../../frame/declaration.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, icon, isolated } from '../../frame/parts.ts'
import { placeAt } from '../../project/address.ts'
import { projectView } from '../../project/project-view.ts'
import { shortId } from '../history/commits.ts'
import { linesOf, plainLines } from './code.ts'
import { crumbsOf, refSwitcher, refSwitchScript } from './crumbs.ts'
import { dataOf, entryAt, fileOf, isText } from './found.ts'
import { missingView } from './missing.ts'
import { fileName } from './names.ts'
import { sentences } from './sentences.ts'
import { fileActions, fileTools, permalink } from './toolbar.ts'

const max_bytes = 4 * 1024 * 1024
/** Limit of lines per page. */
const maxLines = 1_000

export const blamePages = [
  page('GET /:project/blame/*', {
    access: project('code'),
    query: pageNumber,
    async show({ project, level, user, repo, params, sent }) {
      const place = await placeAt(repo, params['*'])
      const entry = await entryAt(repo, place)
      if (entry?.type === 'tree' || place.path === '') {
        return { redirect: addressAt(project.full_path, 'tree', place.revision, place.path), status: 302 }
      }
      if (entry === null) return missingView({ project, level, user }, repo, place, 'blame')
      const file = await fileOf(repo, entry)
      const data = await dataOf(repo, file, max_bytes)
      const above = html`
        <h1 class="unseen">Blame of ${fileName(file.name)}</h1>
        <div class="place">
          ${crumbsOf(project, place, await refSwitcher(repo, project, place, 'blame'))}
          ${fileTools(project, place, 'blame', true)}
        </div>
      `
      const view = (content: Html) =>
        projectView(
          { project, level, user, tab: 'files' },
          {
            title: t`Blame of ${place.path} at ${shortRevision(place.revision)}`,
            main: html`${above}${content}`,
            head: permalink(project, 'blame', place),
            scripts: ['lines.js', refSwitchScript],
          },
        )
      if (!data) return view(emptyState(sentences.too_large_to_show(file.size)))
      if (!isText(data)) return view(emptyState(sentences.blame_of_binary))
      const lines = linesOf(textOf(data))
      if (lines.length === 0) return view(emptyState(sentences.no_blame))
      const first = (sent.page - 1) * maxLines
      const ranges = cut(await blame(repo, place.commit, place.path), first, maxLines)
      const commits = await readCommits(repo, [...new Set(ranges.map(({ commit }) => commit))])
      const html_lines = (await highlightBlob(repo, { oid: file.oid, path: place.path }))?.lines ?? plainLines(lines)
      const address = addressAt(project.full_path, 'blame', place.revision, place.path)
      return view(
        html`
          <section class="file" aria-label="${file.name}">
            <header>
              <span>${fileName(file.name)}</span>
              <span class="hint">${count(lines.length, 'line')}, ${size(file.size)}</span>
              ${fileActions(project, place, { isText: true, page: 'blame' })}
            </header>
            ${tableOf({ path: project.full_path, ranges, commits, lines: html_lines })}
          </section>
          ${pagesBelow(address, { page: sent.page, per_page: maxLines, total: lines.length })}
        `,
      )
    },
  }),
]

/** A range of lines with the number of its first. */
interface Range extends Blamed {
  start: number
}

/** The ranges of one page, cut at its first and last line. */
function cut(ranges: readonly Blamed[], first: number, length: number): Range[] {
  const found: Range[] = []
  let at = 0
  for (const { count, ...range } of ranges) {
    const start = Math.max(at, first)
    const end = Math.min(at + count, first + length)
    if (end > start) found.push({ ...range, count: end - start, start: start + 1 })
    at += count
  }
  return found
}

interface Blame {
  path: string
  ranges: readonly Range[]
  commits: readonly Commit[]
  lines: readonly string[]
}

/** Number of shades of age. */
const ages = 10

function tableOf({ path, ranges, commits, lines }: Blame): Html {
  const byId = new Map(commits.map((commit) => [commit.oid, commit]))
  // By rank, so that the newest lines of every file look new.
  const dates = [...new Set(commits.map(({ committer }) => committer.date))].sort()
  const ageOf = ({ committer }: Commit) => Math.floor((dates.indexOf(committer.date) / Math.max(1, dates.length - 1)) * (ages - 1))
  const rows = ranges.map(({ commit, before, count, start }) => {
    const found = byId.get(commit)
    if (!found) return ''
    const code = lines.slice(start - 1, start - 1 + count)
    const numbered = code.map(
      (line, index) => `<span id="L${start + index}"><a href="#L${start + index}">${start + index}</a>${line}\n</span>`,
    )
    return html`
      <tr class="age-${ageOf(found)}">
        <td>${factsOf(path, found, before)}</td>
        <td><pre class="code">${new Html(numbered.join(''))}</pre></td>
      </tr>
    `
  })
  return html`
    <div class="scroll" tabindex="0" role="group" aria-label="Lines">
      <table class="blame">
        <caption class="unseen">Lines by commit</caption>
        <thead class="unseen">
          <tr><th scope="col">Commit</th><th scope="col">Lines</th></tr>
        </thead>
        <tbody>${rows}</tbody>
      </table>
    </div>
  `
}

/** One line, so that the rows keep the height of a line of code. */
function factsOf(path: string, { oid, message, author, committer }: Commit, before: Blamed['before']): Html {
  const title = titleOf(message) || shortId(oid)
  const address = before && addressAt(path, 'blame', before.commit, before.path)
  return html`
    <div class="blamed">
      <a href="${commitAddress({ full_path: path }, oid)}" title="${title} (${author.name})">${fileName(title)}</a>
      <span class="blamed-by">${isolated(author.name)}</span>
      ${ago(committer.date)}
      <span class="blamed-before">
        ${
          address !== null &&
          html`
            <a href="${address}" title="Blame before this commit">
              ${icon('history')}<span class="unseen">Blame before ${shortId(oid)}</span>
            </a>
          `
        }
      </span>
    </div>
  `
}
