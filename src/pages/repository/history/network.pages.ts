/** The commit graph: how branches diverged and were merged. */

import { Type } from 'typebox'
import { addressAt, commitAddress } from '../../../addresses/repository.ts'
import { historyPage } from '../../../git/history/history-page.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import { branchRevision, shortRevision, tagRevision } from '../../../git/refs/names.ts'
import { listRefs } from '../../../git/refs/refs.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { project } from '../../../http/declare/rules.ts'
import { page } from '../../frame/declaration.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { placeAt } from '../../project/address.ts'
import { projectView } from '../../project/project-view.ts'
import { shortId } from './commits.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { graphPicture } from './graph-view.ts'
import { childrenFirst, type Graph, graphOf } from './lanes.ts'
import { sentences } from './sentences.ts'

const perPage = 100
/** Limit of branches that the graph starts with, newest commits first. */
const maxTips = 30
/** Per commit. */
const maxLabels = 5

export const networkPages = [
  page('GET /:project/network/*', {
    access: project('code'),
    query: { all: Type.Boolean({ default: false }), after: Type.String({ default: '', maxLength: 8_000 }) },
    async show({ project, level, user, repo, params, sent }) {
      const { revision, commit } = await placeAt(repo, params['*'])
      const [heads, tags] = await Promise.all([listRefs(repo, 'heads'), listRefs(repo, 'tags')])
      const recent = [...heads].sort((one, other) => other.committed_at - one.committed_at).slice(0, maxTips)
      const tips = [...new Set([commit, ...(sent.all ? recent.flatMap(({ commit: tip }) => tip ?? []) : [])])]
      const open = sent.after === '' ? [] : await readCursor(repo, sent.after, commit.length)
      const found = await historyPage(repo, open.length > 0 ? open : tips, '', perPage)
      const commits = childrenFirst(found.commits)
      const graph = graphOf(commits, open)
      const shown = new Set(commits.map(({ oid }) => oid))
      // Tips that this page didn't reach start lanes on a later one.
      const next = [...graph.open, ...(open.length > 0 ? [] : tips.filter((tip) => !shown.has(tip) && !graph.open.includes(tip)))]
      const after = next.length > 0 && commits.length === perPage ? writeCursor(next) : null
      const address = addressAt(project.full_path, 'network', revision)
      const all = sent.all ? 'all=true&' : ''
      const main = html`
        <h1>Graph of <span class="ref">${isolated(shortRevision(revision))}</span></h1>
        <p>
          ${
            sent.all
              ? html`<a href="${address}">Only ${isolated(shortRevision(revision))}</a>`
              : html`<a href="${address}?all=true">All branches</a>`
          }
        </p>
        ${commits.length === 0 ? emptyState(sentences.noGraph) : tableOf(project, commits, graph, labelsOf(shown, heads, tags))}
        ${
          (after !== null || sent.after !== '') &&
          html`
            <nav class="pages" aria-label="Pages">
              ${sent.after !== '' && html`<a href="${address}${sent.all && '?all=true'}">Newest</a>`}${
                after !== null && html`<a rel="next" href="${address}?${all}after=${after}">Older</a>`
              }
            </nav>
          `
        }
      `
      return projectView({ project, level, user, tab: 'network' }, { title: t`Graph of ${shortRevision(revision)}`, main })
    },
  }),
]

type Refs = Awaited<ReturnType<typeof listRefs>>
/** The names of branches and tags, by commit. */
type Labels = Map<string, string[]>

function labelsOf(shown: ReadonlySet<string>, heads: Refs, tags: Refs): Labels {
  const labels: Labels = new Map()
  const add = (refs: Refs, revisionOf: (name: string) => string) => {
    for (const { name, commit } of refs) {
      if (commit !== null && shown.has(commit)) labels.set(commit, [...(labels.get(commit) ?? []), revisionOf(name)].slice(0, maxLabels))
    }
  }
  add(heads, branchRevision)
  add(tags, tagRevision)
  return labels
}

type Project = Parameters<typeof commitAddress>[0]

function refTag({ full_path }: Project, revision: string): Html {
  return html`<a class="tag ref" href="${addressAt(full_path, 'commits', revision)}">${isolated(shortRevision(revision))}</a> `
}

function tableOf(project: Project, commits: readonly Commit[], graph: Graph, labels: Labels): Html {
  const rows = commits.map(
    ({ oid, parents, message, author, committer }) => html`
      <tr>
        <td><a href="${commitAddress(project, oid)}"><code>${shortId(oid)}</code></a></td>
        <td>
          ${(labels.get(oid) ?? []).map((revision) => refTag(project, revision))}${isolated(titleOf(message) || shortId(oid))}
        </td>
        <td>${isolated(author.name)}</td>
        <td>${ago(committer.date)}</td>
        <td>
          ${parents.length === 0 ? t`none` : parents.slice(0, maxLabels).map((parent) => `${shortId(parent)} `)}${
            parents.length > maxLabels && t`and ${parents.length - maxLabels} more`
          }
        </td>
      </tr>
    `,
  )
  return html`
    <div class="network">
      ${graphPicture(graph)}
      <table>
        <thead>
          <tr>
            <th scope="col">Commit</th>
            <th scope="col">Title</th>
            <th scope="col">Author</th>
            <th scope="col">Date</th>
            <th scope="col">Parents</th>
          </tr>
        </thead>
        <tbody>${rows}</tbody>
      </table>
    </div>
  `
}
