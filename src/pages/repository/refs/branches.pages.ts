/** The branches of a project: an overview, and lists of the active, the stale and all of them. */

import { Type } from 'typebox'
import { canPush } from '../../../access/find.ts'
import { notFound } from '../../../failure.ts'
import { pageOfRefs, type RefOrder } from '../../../git/refs/refs.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'
import { type ProjectGranted, project } from '../../../http/declare/rules.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { page, type View, type Visit } from '../../frame/declaration.ts'
import { dangerous, form, optionsOf } from '../../frame/forms.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState, icon, navigation } from '../../frame/parts.ts'
import { projectView } from '../../project/project-view.ts'
import { branchRows, describeBranches } from './branch-rows.ts'
import { branchSentences } from './sentences.ts'

const query = {
  ...pageNumber,
  search: Type.String({ default: '' }),
  sort: oneOfDefault('updated_desc', 'updated_asc', 'name'),
}

const orders = {
  updated_desc: { order_by: 'updated', sort: 'desc' },
  updated_asc: { order_by: 'updated', sort: 'asc' },
  name: { order_by: 'name', sort: 'asc' },
} as const satisfies Record<string, RefOrder>

const orderLabels = () =>
  [
    ['updated_desc', t`Newest commit first`],
    ['updated_asc', t`Oldest commit first`],
    ['name', t`Name`],
  ] as const

const states = translated({ overview: 'Overview', active: 'Active', stale: 'Stale', all: 'All' } as const)
type State = keyof typeof states

const allOfAge = {
  active: (number: number) => t`All ${count(number, 'active branch', 'active branches')}`,
  stale: (number: number) => t`All ${count(number, 'stale branch', 'stale branches')}`,
}

/** The number of branches for which one walk counts commits. */
const perPage = 20
/** Limit of branches of each kind on the overview. */
const few = 5
/** Branches without a commit for this long are stale. */
const stale_s = 3 * 30.4 * 24 * 3600

type Sent = { page: number; search: string; sort: keyof typeof orders }

export const branchListPages = [
  page('GET /:project/branches', {
    access: project('code'),
    query,
    show: ({ sent, ...context }) => (sent.search === '' ? overview(context, sent) : listOf(context, 'all', sent)),
  }),
  page('GET /:project/branches/:state', {
    access: project('code'),
    query,
    show({ sent, ...context }) {
      const { state } = context.params
      if (state !== 'active' && state !== 'stale' && state !== 'all') throw notFound('Page')
      return listOf(context, state, sent)
    },
  }),
]

function ageOf(state: State): RefOrder['committed'] {
  const edge = Math.floor(Date.now() / 1000 - stale_s)
  if (state === 'active') return { since: edge }
  return state === 'stale' ? { before: edge } : undefined
}

async function overview(context: Visit & ProjectGranted, sent: Sent): Promise<View> {
  const { repo, project } = context
  const pageFor = (state: State) =>
    pageOfRefs(repo, 'heads', { ...orders.updated_desc, committed: ageOf(state) }, { limit: few, offset: 0 })
  // One after the other: the second call uses the list that the first one has read.
  const active = await pageFor('active')
  const stale = await pageFor('stale')
  const total = active.total + stale.total
  const rows = await describeBranches(context.app, context, [...active.rows, ...stale.rows])
  const section = (state: 'active' | 'stale', found: typeof active, from: number) => html`
    <h2>${state === 'active' ? t`Active branches` : t`Stale branches`}</h2>
    ${
      found.total === 0
        ? html`<p class="hint">${branchSentences.noneOfAge[state]}</p>`
        : branchRows(context, project, rows.slice(from, from + found.rows.length))
    }
    ${
      found.total > few &&
      html`
        <p>
          <a href="/${project.full_path}/branches/${state}">${allOfAge[state](found.total)}</a>
        </p>
      `
    }
  `
  const content =
    total === 0 ? emptyState(branchSentences.none) : html`${section('active', active, 0)}${section('stale', stale, active.rows.length)}`
  return frameOf(context, 'overview', sent, { total, content })
}

async function listOf(context: Visit & ProjectGranted, state: State, sent: Sent): Promise<View> {
  const { repo, project } = context
  const order = { ...orders[sent.sort], search: sent.search, committed: ageOf(state) }
  const { rows, total } = await pageOfRefs(repo, 'heads', order, pageFrom({ page: sent.page, per_page: perPage }))
  const described = await describeBranches(context.app, context, rows)
  const parameters = new URLSearchParams({
    ...(sent.search !== '' && { search: sent.search }),
    ...(sent.sort !== 'updated_desc' && { sort: sent.sort }),
  }).toString()
  const address = `/${project.full_path}/branches/${state}${parameters && `?${parameters}`}`
  return frameOf(context, state, sent, {
    total,
    content: html`
      ${total === 0 ? emptyState(noneOf(state, sent.search)) : branchRows(context, project, described)}
      ${pagesBelow(address, { page: sent.page, per_page: perPage, total })}
    `,
  })
}

function noneOf(state: State, search: string): string {
  if (search !== '') return branchSentences.noneFound(search)
  return state === 'active' || state === 'stale' ? branchSentences.noneOfAge[state] : branchSentences.none
}

function frameOf(context: Visit & ProjectGranted, state: State, sent: Sent, { total, content }: { total: number; content: Html }): View {
  const { project, level, user, token } = context
  const address = `/${project.full_path}/branches`
  const pushes = canPush({ project, level })
  const links = Object.entries(states).map(([key, label]) => ({
    label,
    href: key === 'overview' ? address : `${address}/${key}`,
    isCurrent: key === state,
  }))
  return projectView(
    { project, level, user, tab: 'branches' },
    {
      title: state === 'overview' ? t`Branches` : `${states[state]} branches`,
      main: html`
        <div class="heading">
          <h1>Branches <span class="hint">${count(total, 'branch', 'branches')}</span></h1>
          ${pushes && html`<a class="button primary end" href="${address}/new">${icon('plus')} New branch</a>`}
        </div>
        ${navigation(t`Branches by age`, links, 'tabs second')}
        <form class="filters" role="search" action="${address}/${state === 'overview' ? 'all' : state}">
          <label for="search">Find by name</label><input id="search" name="search" type="search" value="${sent.search}">
          <label for="sort" class="unseen">Order</label>
          <select id="sort" name="sort">${optionsOf(orderLabels(), sent.sort)}</select><button>Find</button>
        </form>
        ${content}${
          pushes &&
          project.default_branch !== null &&
          dangerous(
            t`Delete merged branches`,
            html`
              <p>${branchSentences.mergedDeletion(project.default_branch)}</p>
              ${form(
                { action: `/${project.full_path}/branches/delete_merged`, token, submit: t`Delete all merged branches`, kind: 'danger' },
                html``,
              )}
            `,
          )
        }
      `,
    },
  )
}
