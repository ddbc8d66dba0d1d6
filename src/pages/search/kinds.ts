/** The kinds of search results, as lists. */

import { canDownload } from '../../access/find.ts'
import { wikiPageAddress } from '../../addresses/documents.ts'
import { commitAddress } from '../../addresses/repository.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { Failure } from '../../failure.ts'
import { pageNameOf } from '../../features/documents/wikis/wikis.ts'
import { presentUserBrief } from '../../features/people/users/users.ts'
import { describeIssues } from '../../features/planning/issues/issues.ts'
import { milestoneUrl } from '../../features/planning/milestones/milestones.ts'
import { describeMergeRequests } from '../../features/review/merge-requests/merge-requests.ts'
import {
  findCode,
  findCommits,
  findInWiki,
  findIssues,
  findMergeRequests,
  findMilestones,
  findNotes,
  findPeopleIn,
  findSnippets,
  noteLinks,
  pathsOf,
  type SearchPlace,
} from '../../features/search/searches/searches.ts'
import { describeSnippets } from '../../features/snippets/snippets.ts'
import { countsInGroups, listGroups } from '../../features/spaces/groups/groups.ts'
import { pageOfProjects } from '../../features/spaces/projects/projects.ts'
import { titleOf } from '../../git/objects/commit-title.ts'
import { type Html, html } from '../../html/html.ts'
import { ago, count, day } from '../../html/phrases.ts'
import { t } from '../../html/sentences.ts'
import type { Page } from '../../http/reply/page.ts'
import { snippetRow } from '../documents/snippets/list-view.ts'
import { avatar, isolated } from '../frame/parts.ts'
import { issueRow } from '../planning/issues/row.ts'
import { mergeRequestRow } from '../review/merge-requests/row.ts'
import { noGroupMatches, noProjectMatches } from '../spaces/lists/sentences.ts'
import { groupRow, listOf } from '../spaces/project-lists.ts'
import { codeFound, wikiFound } from './code-found.ts'
import { refsFound } from './refs-found.ts'
import { sentences } from './sentences.ts'

export const kinds = [
  'projects',
  'groups',
  'users',
  'issues',
  'merge_requests',
  'milestones',
  'notes',
  'blobs',
  'commits',
  'refs',
  'wiki_blobs',
  'snippet_titles',
  'snippet_blobs',
] as const
export type Kind = (typeof kinds)[number]

export interface Asked {
  app: App
  viewer: User | null
  place: SearchPlace
  words: string
  /** The branch, tag or commit to search; empty for the default branch. */
  ref: string
  /** Whether the words are a regular expression, in files alone. */
  regex?: boolean
  page: Page
}

export interface Results {
  list: Html
  total: number
  counted: (number: number) => string
  none: string
  notice?: string | null
}

/** The kinds available in a place, the default first. Anybody can find a user by name in the API, but only users can list others. */
export function kindsOf({ kind }: SearchPlace, viewer: User | null): Kind[] {
  const users: Kind[] = viewer ? ['users'] : []
  if (kind === 'project')
    return ['blobs', 'issues', 'merge_requests', 'notes', 'milestones', 'wiki_blobs', 'snippet_titles', 'commits', 'refs', ...users]
  if (kind === 'group') return ['projects', 'groups', 'issues', 'merge_requests', 'milestones', 'blobs', ...users]
  return ['projects', 'groups', ...users, 'issues', 'merge_requests', 'milestones', 'blobs', 'snippet_titles', 'snippet_blobs']
}

/** A fixed number of statements; git processes only for code, commits and refs. */
export function resultsOf(kind: Kind, asked: Asked): Promise<Results> {
  return finders[kind](asked)
}

const finders: Record<Kind, (asked: Asked) => Promise<Results>> = {
  projects: projectsFound,
  groups: groupsFound,
  async users({ app, viewer, place, words, page }) {
    if (!viewer) return { list: html``, total: 0, counted: (number) => count(number, 'user'), none: sentences.signIn }
    const { rows, total } = await findPeopleIn(app, viewer, place, { text: words }, page)
    const list = html`
      <ul class="rows">
        ${rows
          .map((row) => presentUserBrief(app.config, row))
          .map(
            ({ username, name, avatar_url }) =>
              html`
                <li>
                  ${avatar(avatar_url)}
                  <div class="what">
                    <a href="/${username}">${isolated(name)}</a> <span class="hint">@${username}</span>
                  </div>
                </li>
              `,
          )}
      </ul>
    `
    return { list, total, counted: (number) => count(number, 'user'), none: sentences.noUsers }
  },
  async issues({ app, viewer, place, words, page }) {
    const { rows, total } = await findIssues(app, viewer, place, { text: words }, page)
    const described = await describeIssues(app.db, viewer, rows)
    const list = html`<ul class="rows issues">${described.map((one) => issueRow(app, one, { withProject: place.kind !== 'project' }))}</ul>`
    return { list, total, counted: (number) => count(number, 'issue'), none: sentences.nothing }
  },
  async merge_requests({ app, viewer, place, words, page }) {
    const { rows, total } = await findMergeRequests(app, viewer, place, { text: words }, page)
    const described = await describeMergeRequests(app.db, rows)
    const list = html`
      <ul class="rows issues">
        ${described.map((one) => mergeRequestRow(app, one, { withProject: place.kind !== 'project' }))}
      </ul>
    `
    return { list, total, counted: (number) => count(number, 'merge request'), none: sentences.nothing }
  },
  async milestones({ app, viewer, place, words, page }) {
    const { rows, total } = await findMilestones(app, viewer, place, { text: words }, page)
    const list = html`
      <ul class="rows">
        ${rows.map(
          (row) =>
            html`
              <li>
                <div class="what">
                  <a href="${milestoneUrl(app.config, row).slice(app.config.url.length)}">${isolated(row.title)}</a>
                  <p>
                    ${row.place_path}${row.due_date !== null && t` · due ${day(row.due_date)}`}${row.state === 'closed' && t` · closed`}
                  </p>
                </div>
              </li>
            `,
        )}
      </ul>
    `
    return { list, total, counted: (number) => count(number, 'milestone'), none: sentences.nothing }
  },
  async notes({ app, viewer, place, words, page }) {
    const { rows, total } = await findNotes(app, viewer, place, { text: words }, page)
    const links = await noteLinks(app, rows)
    const list = html`
      <ul class="rows">
        ${rows.map((note) => {
          const link = links.get(note.id)
          return (
            link !== undefined &&
            html`
              <li>
                <div class="what">
                  <a href="${link.address}">${isolated(link.title)}</a>
                  <p>${note.body.slice(0, shownNote_chars)}</p>
                </div>
                <div class="facts">${ago(note.updated_at)}</div>
              </li>
            `
          )
        })}
      </ul>
    `
    return { list, total, counted: (number) => count(number, 'comment'), none: sentences.nothing }
  },
  blobs: filesFound,
  async commits({ viewer, place, words, ref, page }) {
    const { rows, total } = await findCommits(viewer, place, { text: words, ref }, page)
    const path = place.kind === 'project' ? place.project.full_path : ''
    const list = html`
      <ul class="rows">
        ${rows.map(
          ({ oid, message, author, committer }) =>
            html`
              <li>
                <div class="what">
                  <a href="${commitAddress({ full_path: path }, oid)}">${isolated(titleOf(message))}</a>
                  <p>${isolated(author.name)}</p>
                </div>
                <div class="facts"><code>${oid.slice(0, 8)}</code>${ago(committer.date)}</div>
              </li>
            `,
        )}
      </ul>
    `
    return { list, total, counted: (number) => count(number, 'commit'), none: sentences.nothing }
  },
  async refs({ app, viewer, place, words }) {
    const nothing = { list: html``, total: 0, counted: (number: number) => count(number, 'ref'), none: sentences.noBranch }
    if (place.kind !== 'project' || !canDownload(place, viewer)) return nothing
    return { ...nothing, ...(await refsFound(app, place.project, words)) }
  },
  wiki_blobs: wikiPagesFound,
  snippet_titles: (asked) => snippetsFound(asked, 'names'),
  snippet_blobs: (asked) => snippetsFound(asked, 'content'),
}

const shownNote_chars = 300

async function projectsFound({ app, viewer, words, page, place }: Asked): Promise<Results> {
  const within = place.kind === 'group' ? { ancestor_id: place.id } : {}
  const { rows, total } = await pageOfProjects(app, viewer, { order_by: 'last_activity_at', sort: 'desc', search: words }, page, within)
  return { list: listOf(rows), total, counted: (number) => count(number, 'project'), none: noProjectMatches() }
}

async function groupsFound({ app, viewer, words, page, place }: Asked): Promise<Results> {
  const within = place.kind === 'group' ? { ancestor_id: place.id } : {}
  const filter = { all_available: true, order_by: 'name', sort: 'asc', search: words, ...within } as const
  const { rows, total } = await listGroups(app.db, viewer, filter, page)
  const ids = rows.map(({ id }) => id)
  const counts = await countsInGroups(app.db, viewer, ids)
  const list = html`<ul class="rows">${rows.map((row) => groupRow(app, { group: row, counts: counts.get(row.id) }))}</ul>`
  return { list, total, counted: (number) => count(number, 'group'), none: noGroupMatches() }
}

/** A notice if the index is behind, or if not everything was searched. */
function noticeOf(headers: Record<string, string> = {}): string | null {
  const behind = headers['x-search-projects-behind']
  const told = [
    behind !== undefined && t`The index has not read the last push to ${count(Number(behind), 'project')}.`,
    headers['x-search-incomplete'] !== undefined && sentences.incomplete,
  ].filter((sentence) => sentence !== false)
  return told.length > 0 ? told.join(' ') : null
}

async function filesFound({ app, viewer, place, words, ref, regex = false, page }: Asked): Promise<Results> {
  const found = { list: html``, total: 0, counted: (number: number) => count(number, 'place'), none: sentences.noCode }
  try {
    const { rows, total, headers } = await findCode(app, viewer, place, { text: words, ref, regex }, page)
    const paths = await pathsOf(
      app,
      rows.map(({ project_id }) => project_id),
    )
    const notice = noticeOf(headers)
    return { ...found, list: codeFound(rows, { words, regex }, paths, place.kind !== 'project'), total, notice }
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'invalid')) throw error
    return { ...found, none: whyNot(error.message, regex) }
  }
}

/** Words the refusal of a search for the page. */
function whyNot(message: string, regex: boolean): string {
  if (message.startsWith('scope')) return sentences.indexOff
  if (message.startsWith('regex needs')) return sentences.regexOff
  if (message.startsWith('regex,')) return sentences.regexInBranch
  return regex ? `${message}.` : sentences.tooShort
}

async function wikiPagesFound({ app, viewer, place, words, page }: Asked): Promise<Results> {
  const { rows, total, headers } = await findInWiki(app, viewer, place, { text: words }, page)
  const home = place.kind === 'project' ? ({ kind: 'project', row: place.project, level: place.level } as const) : null
  const addressOf = (path: string) => {
    const name = pageNameOf(path)
    return name && home && wikiPageAddress(home, name.slug)
  }
  return {
    list: wikiFound(rows, words, addressOf),
    total,
    counted: (number) => count(number, 'place'),
    none: sentences.noWikiPage,
    notice: noticeOf(headers),
  }
}

async function snippetsFound({ app, viewer, place, words, page }: Asked, by: 'names' | 'content'): Promise<Results> {
  const { rows, total } = await findSnippets(app, viewer, place, { text: words, by }, page)
  const described = await describeSnippets(app.db, rows)
  return {
    list: html`<ul class="rows">${described.map((one) => snippetRow(one, place.kind !== 'project'))}</ul>`,
    total,
    counted: (number) => count(number, 'snippet'),
    none: sentences.noSnippet,
  }
}
