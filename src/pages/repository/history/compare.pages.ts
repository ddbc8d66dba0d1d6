/** Compares two revisions: the commits that only the second one has, and the differences. */

import { Type } from 'typebox'
import { commitsAhead } from '../../../git/history/history-page.ts'
import { mergeBase } from '../../../git/history/merge-base.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { project } from '../../../http/declare/rules.ts'
import { page, type Typed } from '../../frame/declaration.ts'
import { field, untouched } from '../../frame/forms.ts'
import { projectView } from '../../project/project-view.ts'
import { commitRows, factsOf } from './commits.ts'
import { diffScripts, diffView } from './diff/diff-view.ts'
import { diffQuery } from './diff/options.ts'
import { sentences } from './sentences.ts'

const maxCommits = 100

const revision = Type.String({ default: '', maxLength: 1_000 })

interface Pair {
  from: string
  to: string
  /** Compares both directly, rather than `to` with their merge base. */
  straight: boolean
}

export const comparePages = [
  page('GET /:project/compare', {
    access: project('code'),
    query: { from: revision, to: revision, straight: Type.Boolean({ default: false }) },
    show({ project, level, user, sent: { from, to, straight } }) {
      const [one, other] = [from.trim(), to.trim()]
      if (one !== '' && other !== '') return { redirect: pairAddress(project.full_path, { from: one, to: other, straight }), status: 302 }
      const pair = { from: one || (project.default_branch ?? ''), to: other, straight }
      const main = html`<h1>Compare</h1><p>${sentences.compareHint}</p>${pairForm(project.full_path, pair, untouched)}`
      return projectView({ project, level, user, tab: 'compare' }, { title: t`Compare`, main })
    },
  }),
  page('GET /:project/compare/*', {
    access: project('code'),
    query: diffQuery,
    async show({ app, project, level, user, repo, params, sent }) {
      const { full_path } = project
      const pair = pairIn(params['*'])
      if (!pair) return { redirect: `/${full_path}/compare?to=${encodeURIComponent(params['*'])}`, status: 302 }
      const [from, to] = await Promise.all([resolveCommit(repo, pair.from), resolveCommit(repo, pair.to)])
      const title = `${pair.from} ${pair.straight ? '..' : '...'} ${pair.to}`
      const view = (main: Html, status = 200) =>
        projectView(
          { project, level, user, tab: 'compare' },
          { title: t`Compare ${title}`, main, status, scripts: diffScripts, isWide: true },
        )
      if (!from || !to) return view(html`<h1>Compare</h1>${pairForm(full_path, pair, missingIn(pair, { from, to }))}`, 404)
      const base = pair.straight ? from : await mergeBase(repo, [from, to])
      const { commits, more } = await commitsAhead(repo, from, to, maxCommits)
      const facts = await factsOf(app, { project, user, repo }, commits)
      const range = { repo, from: base, to }
      const diff = from === to ? null : await diffView({ range, options: sent, address: pairAddress(full_path, pair), project: full_path })
      return view(html`
        <h1>Compare</h1>
        ${pairForm(full_path, pair, untouched)}
        ${base === null && html`<p class="notice">${sentences.unrelated}</p>`}
        ${from === to ? html`<p class="empty">${sentences.sameCommit}</p>` : null}
        <details class="compared"${commits.length <= 20 && html` open`}>
          <summary>${count(commits.length, 'commit')}${more && t` or more`}</summary>
          ${commits.length === 0 ? html`<p class="empty">${sentences.noneAhead}</p>` : commitRows(app, project, commits, facts)}
          ${more && html`<p class="hint">${sentences.firstCommits(maxCommits)}</p>`}
        </details>
        ${diff}
      `)
    },
  }),
]

/** `a...b` or `a..b`: no name of a ref contains two consecutive dots. */
function pairIn(text: string): Pair | null {
  const [, from = '', dots = '', to = ''] = /^(.+?)(\.{2,3})(.+)$/s.exec(text) ?? []
  return from === '' || to.startsWith('.') ? null : { from, to, straight: dots === '..' }
}

function pairAddress(path: string, { from, to, straight }: Pair): string {
  const written = (name: string) => name.split('/').map(encodeURIComponent).join('/')
  return `/${path}/compare/${written(from)}${straight ? '..' : '...'}${written(to)}`
}

function missingIn({ from, to }: Pair, found: Record<'from' | 'to', string | null>): Typed {
  const errors = {
    ...(found.from === null && { from: [sentences.unknownRevision(from)] }),
    ...(found.to === null && { to: [sentences.unknownRevision(to)] }),
  }
  return { values: {}, errors: { all: [], of: errors } }
}

/** By GET, so that the comparison has a URL. */
function pairForm(path: string, { from, to, straight }: Pair, typed: Typed): Html {
  const swapped = to === '' ? null : pairAddress(path, { from: to, to: from, straight })
  return html`
    <form class="filters compare" action="/${path}/compare">
      ${field(t`From`, 'from', typed, { value: from, required: true })}
      ${field(t`To`, 'to', typed, {
        value: to,
        required: true,
        autofocus: to === '',
      })}
      <div class="field">
        <label for="straight">Compare with</label><select id="straight" name="straight">
          <option value="false">the last common commit</option>
          <option value="true"${straight && html` selected`}>the first as it is</option>
        </select>
      </div>
      <button class="primary">Compare</button>${swapped !== null && from !== '' && html`<a href="${swapped}">Swap</a>`}
    </form>
  `
}
