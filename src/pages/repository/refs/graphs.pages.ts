/** Graphs: contributors over time, and languages of a repository. */

import { Type } from 'typebox'
import { may } from '../../../access/permissions.ts'
import { addressAt } from '../../../addresses/repository.ts'
import { Failure, notFound } from '../../../failure.ts'
import { fetchesOf, lastDays } from '../../../features/repository/fetches/fetches.ts'
import { contributorsAt, countedSoFar, languagesOf } from '../../../features/repository/stats/stats.ts'
import { commitTimes } from '../../../git/history/commit-times.ts'
import type { Contributor } from '../../../git/history/contributors.ts'
import { branchRevision } from '../../../git/refs/names.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { count, number } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { type ProjectGranted, project } from '../../../http/declare/rules.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { page, type View, type Visit } from '../../frame/declaration.ts'
import { field, untouched } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, navigation, progressBar } from '../../frame/parts.ts'
import { projectView } from '../../project/project-view.ts'
import { barChart, chartTable, shareBar, sparkline } from './charts.ts'
import { recentNames } from './parts.ts'
import { type Periods, periodsOf, sumsOf } from './periods.ts'
import { graphSentences, graphWords } from './sentences.ts'

const perPage = 50
/** For the charts by day and hour. */
const maxTimed = 2_000

const query = { ...pageNumber, sort: oneOfDefault('commits', 'additions', 'deletions', 'name') }
type Sent = { page: number; sort: 'commits' | 'additions' | 'deletions' | 'name' }

interface Place {
  revision: string
  commit: string
  chapter: 'contributors' | 'charts' | 'moved'
}

export const graphPages = [
  page('GET /:project/graphs', {
    access: project('code'),
    query: { ref: Type.String({ default: '' }) },
    show: ({ project, sent: { ref } }) => ({
      redirect: addressAt(
        project.full_path,
        'graphs',
        ref || (project.default_branch === null ? 'HEAD' : branchRevision(project.default_branch)),
      ),
      status: 302,
    }),
  }),
  page('GET /:project/graphs/*', {
    access: project('code'),
    query,
    async show({ sent, ...context }) {
      const place = await placeIn(context.repo, context.params['*'])
      if (!place) {
        if (context.project.default_branch === null) return emptyView(context)
        throw notFound('Revision')
      }
      if (place.chapter === 'moved')
        return { redirect: addressAt(context.project.full_path, 'graphs', place.revision, 'charts'), status: 302 }
      return place.chapter === 'charts' ? chartsView(context, place) : contributorsView(context, place, sent)
    },
  }),
]

/** The longest existing revision counts; one word may follow it. */
async function placeIn(repo: Repo, text: string): Promise<Place | null> {
  const whole = await resolveCommit(repo, text)
  if (whole) return { revision: text, commit: whole, chapter: 'contributors' }
  const [, revision, word] = /^(.+)\/(charts|languages|commits)$/.exec(text) ?? []
  const commit = revision === undefined ? null : await resolveCommit(repo, revision)
  if (revision === undefined || !commit) return null
  return { revision, commit, chapter: word === 'charts' ? 'charts' : 'moved' }
}

async function contributorsView(context: Visit & ProjectGranted, place: Place, sent: Sent): Promise<View> {
  const { app, project, repo } = context
  try {
    const contributors = await contributorsAt(app, project, place.commit, repo, app.limits.pagePatience_ms.graphs)
    return frameOf(context, place, t`Contributors`, contributorsContent(project.full_path, place, contributors, sent))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code === 'unprocessable') return frameOf(context, place, t`Contributors`, emptyState(graphSentences.tooFar))
    if (error.code !== 'timed_out') throw error
    const counted = await countedSoFar(app, project)
    const max = project.commit_count >= counted && project.commit_count > 0 ? project.commit_count : null
    const content = html`
      <div class="empty">
        <p>${graphSentences.counting}</p>
        <p>${progressBar(t`Counting`, counted, max)} ${graphSentences.counted(counted)}</p>
      </div>
    `
    return { ...(await frameOf(context, place, t`Contributors`, content)), head: html`<meta http-equiv="refresh" content="5">` }
  }
}

function contributorsContent(path: string, { revision }: Place, contributors: readonly Contributor[], { page, sort }: Sent): Html {
  if (contributors.length === 0) return emptyState(graphSentences.empty)
  const periods = periodsOf(contributors)
  const sums = sumsOf(periods, contributors)
  const bars = sums.map(([value], index) => ({ label: periods.names[index] ?? '', value }))
  const lines = sums.map(([, value, below], index) => ({ label: periods.names[index] ?? '', value, below }))
  const rows = sums.map((sum, index): [string, ...number[]] => [periods.names[index] ?? '', ...sum])
  const words = graphWords[periods.unit]
  const shown = sorted(contributors, sort).slice((page - 1) * perPage, page * perPage)
  const address = `${addressAt(path, 'graphs', revision)}${sort === 'commits' ? '' : `?sort=${sort}`}`
  return html`
    <h2>${words.commits}</h2>
    ${barChart(words.commits, bars)}
    <h2>${words.lines}</h2>
    ${barChart(words.changes, lines)}
    ${chartTable(words.table, [words.period, t`Commits`, t`Added`, t`Deleted`], rows)}
    <p class="hint">${graphSentences.counts}</p>
    <h2>${count(contributors.length, 'contributor')}</h2>
    ${contributorTable(addressAt(path, 'graphs', revision), periods, shown, sort)}
    ${pagesBelow(address, { page, per_page: perPage, total: contributors.length })}
  `
}

function sorted(contributors: readonly Contributor[], by: Sent['sort']): Contributor[] {
  const collator = new Intl.Collator('en')
  return [...contributors].sort(
    (a, b) => (by === 'name' ? collator.compare(a.name, b.name) : b[by] - a[by]) || (a.email < b.email ? -1 : 1),
  )
}

const columns = () =>
  [
    ['name', t`Name`],
    ['commits', t`Commits`],
    ['additions', t`Added`],
    ['deletions', t`Deleted`],
  ] as const

function contributorTable(address: string, periods: Periods, contributors: readonly Contributor[], sort: Sent['sort']): Html {
  const heads = columns().map(([key, label]) =>
    key === sort
      ? html`<th scope="col" aria-sort="${key === 'name' ? 'ascending' : 'descending'}">${label}</th>`
      : html`<th scope="col"><a href="${address}${key !== 'commits' && `?sort=${key}`}">${label}</a></th>`,
  )
  return html`
    <div class="numbers-table" tabindex="0" role="region" aria-label="Contributors">
      <table class="contributors">
        <thead><tr>${heads}<th scope="col">Over time</th></tr></thead>
        <tbody>
          ${contributors.map(
            ({ name, email, commits, additions, deletions, months }) => html`
              <tr>
                <th scope="row"><bdi>${name || email}</bdi><br><bdi class="hint">${email}</bdi></th>
                <td>${number(commits)}</td>
                <td class="lines-added">+${number(additions)}</td>
                <td class="lines-removed">−${number(deletions)}</td>
                <td>${sparkline(sumsOf(periods, [{ months }]).map(([value]) => value))}</td>
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `
}

const weekdays = () => [t`Monday`, t`Tuesday`, t`Wednesday`, t`Thursday`, t`Friday`, t`Saturday`, t`Sunday`]

async function chartsView(context: Visit & ProjectGranted, place: Place): Promise<View> {
  const times = await commitTimes(context.repo, place.commit, maxTimed)
  const chart = (title: string, unit: string, labels: readonly string[], values: readonly number[]) => {
    const bars = values.map((value, index) => ({ label: labels[index] ?? '', value }))
    return html`<section><h2>${title}</h2>${barChart(title, bars)}${chartTable(
      title,
      [unit, t`Commits`],
      bars.map(({ label, value }) => [label, value]),
    )}</section>`
  }
  const facts =
    times.first !== null &&
    html`
      <p>
        ${count(times.commits, 'commit')} by ${count(times.authors, 'author')}, from ${times.first} to ${times.last}.
      </p>
      <p class="hint">${graphSentences.times(times.commits, maxTimed)}</p>
    `
  const content = html`
    <h2>Languages</h2>
    ${await languagesContent(context)}
    <h2>Commits</h2>
    ${facts}
    <div class="columns">
      ${chart(
        t`Commits by day of the month`,
        t`Day`,
        times.days.map((_, index) => String(index + 1)),
        times.days,
      )}
      ${chart(t`Commits by weekday`, t`Weekday`, weekdays(), times.weekdays)}
      ${chart(
        t`Commits by hour`,
        t`Hour`,
        times.hours.map((_, index) => `${index}:00`),
        times.hours,
      )}
    </div>
    ${may('read_fetches', context.level) && (await fetchesContent(context))}
  `
  return frameOf(context, place, t`Charts`, content)
}

async function fetchesContent({ app, project }: ProjectGranted & Visit): Promise<Html> {
  const { total, days } = await fetchesOf(app, project.id)
  const counts = new Map(days.map(({ day, count }) => [day, count]))
  const bars = lastDays().map((day) => ({ label: day, value: counts.get(day) ?? 0 }))
  const rows = bars.map(({ label, value }): [string, number] => [label, value])
  return html`
    <h2>Clones and fetches by day</h2>
    <p>${graphSentences.fetches(total)}</p>
    ${barChart(t`Clones and fetches by day`, bars)}
    ${chartTable(t`clones and fetches by day`, [t`Day`, t`Clones and fetches`], rows)}
  `
}

async function languagesContent({ app, project, repo }: ProjectGranted & Visit): Promise<Html> {
  try {
    const shares = Object.entries(await languagesOf(app, project, app.limits.pagePatience_ms.graphs, repo)).map(([label, percent]) => ({
      label,
      percent,
    }))
    if (shares.length === 0) return html`<p class="hint">${graphSentences.noLanguages}</p>`
    return html`
      ${shareBar(t`Languages in percent of bytes`, shares)}
      <ul class="languages">
        ${shares.map(
          ({ label, percent }, index) =>
            html`
              <li>
                <svg aria-hidden="true" width="10" height="10" viewBox="0 0 10 10">
                  <rect class="share-${index % 6}" width="10" height="10"></rect>
                </svg>
                ${label} <span class="hint">${percent} %</span>
              </li>
            `,
        )}
      </ul>
    `
  } catch (error) {
    if (!(error instanceof Failure && (error.code === 'timed_out' || error.code === 'unprocessable'))) throw error
    return html`<p class="hint">${graphSentences.countingLanguages}</p>`
  }
}

async function frameOf(
  { project, level, user, repo }: Visit & ProjectGranted,
  { revision, chapter }: Place,
  title: string,
  content: Html,
): Promise<View> {
  const address = addressAt(project.full_path, 'graphs', revision)
  const links = [
    { label: t`Contributors`, href: address, isCurrent: chapter === 'contributors' },
    { label: t`Charts`, href: `${address}/charts`, isCurrent: chapter === 'charts' },
  ]
  return projectView(
    { project, level, user, tab: 'graphs' },
    {
      title: `${title} · ${revision}`,
      main: html`
        <h1>${title} <bdi class="hint ref">${revision}</bdi></h1>
        <div class="heading">
          ${navigation(t`Graphs`, links, 'tabs second')}
          <form class="filters" action="/${project.full_path}/graphs">
            ${field(t`Branch or tag`, 'ref', untouched, { value: revision, list: await recentNames(repo, 'heads') })}
            <button>Show</button>
          </form>
        </div>
        ${content}
      `,
    },
  )
}

function emptyView({ project, level, user }: Visit & ProjectGranted): View {
  return projectView(
    { project, level, user, tab: 'graphs' },
    { title: t`Contributors`, main: html`<h1>Contributors</h1>${emptyState(graphSentences.empty)}` },
  )
}
