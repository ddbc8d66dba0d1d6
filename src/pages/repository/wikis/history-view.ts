/** The history of a wiki page, and the comparison of two versions. */

import { wikiPageAddress, wikiWorkAddress } from '../../../addresses/documents.ts'
import type { Page } from '../../../features/documents/wikis/wikis.ts'
import { changedFiles } from '../../../git/diff/changed-files.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import type { Commit } from '../../../git/objects/parse.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { View } from '../../frame/declaration.ts'
import { isolated } from '../../frame/parts.ts'
import { diffScripts, diffView } from '../history/diff/diff-view.ts'
import type { DiffOptions } from '../history/diff/options.ts'
import type { Seen } from './seen.ts'
import { sentences } from './sentences.ts'

/** @param older URL of the next page of the history; null at its end */
export function historyView({ place }: Seen, page: Page, commits: readonly Commit[], older: string | null): Omit<View, 'above'> {
  const choice = (name: 'from' | 'to', { oid }: Commit, isChosen: boolean) =>
    html`
      <input
        type="radio"
        name="${name}"
        value="${oid}"
        aria-label="${name === 'from' ? t`Compare from` : t`Compare to`} ${oid.slice(0, 8)}"
        ${isChosen && html` checked`}
      >
    `
  const rows = commits.map(
    (commit, index) =>
      html`
        <li>
          ${
            commits.length > 1 &&
            html`
              <span class="wiki-choice">${choice('from', commit, index === 1)}${choice('to', commit, index === 0)}</span>
            `
          }
          <div class="what">
            <a href="${wikiPageAddress(place, page.slug, commit.oid)}">${isolated(titleOf(commit.message))}</a>
            <p>${isolated(commit.author.name)} · ${ago(commit.author.date)}</p>
          </div>
          <div class="facts"><code>${commit.oid.slice(0, 8)}</code></div>
        </li>
      `,
  )
  return {
    title: t`History of ${page.title} · Wiki`,
    main: html`
      <div class="heading">
        <h1>History of <a href="${wikiPageAddress(place, page.slug)}">${isolated(page.title)}</a></h1>
      </div>
      <form action="${wikiWorkAddress(place, 'compare', page.slug)}">
        ${commits.length > 1 && html`<p><button>Compare the versions</button> <span class="hint">${sentences.choices}</span></p>`}
        <ul class="rows">${rows}</ul>
      </form>
      ${older !== null && html`<nav class="pages" aria-label="Pages"><a rel="next" href="${older}">Older</a></nav>`}
    `,
  }
}

interface Versions {
  repo: Repo
  from: Commit
  to: Commit
}

/** Only the changes of this page, unless the options ask for another file of the wiki. */
export async function compareView(
  { place }: Seen,
  page: Page,
  { repo, from, to }: Versions,
  { options, isWhole }: { options: DiffOptions; isWhole: boolean },
): Promise<Omit<View, 'above'>> {
  const address = `${wikiWorkAddress(place, 'compare', page.slug)}?from=${from.oid}&to=${to.oid}`
  const { files } = await changedFiles(repo, from.oid, to.oid, options.w === '1')
  const number = 1 + files.findIndex(({ new_path, old_path }) => new_path === page.path || old_path === page.path)
  const shown = isWhole ? options : { ...options, file: Math.max(1, number), only: true }
  const diff =
    number === 0 && !isWhole
      ? html`<p class="empty">${sentences.unchanged}</p>`
      : await diffView({
          range: { repo, from: from.oid, to: to.oid },
          options: shown,
          address: `${address}&whole=true`,
          project: (_, commit, path) => wikiPageAddress(place, path, commit),
        })
  const version = (label: string, commit: Commit): Html =>
    html`
      <li>
        ${label} <a href="${wikiPageAddress(place, page.slug, commit.oid)}"><code>${commit.oid.slice(0, 8)}</code></a>:
        ${isolated(titleOf(commit.message))}, ${isolated(commit.author.name)}, ${ago(commit.author.date)}
      </li>
    `
  return {
    title: t`Changes of ${page.title} · Wiki`,
    scripts: diffScripts,
    isWide: true,
    main: html`
      <div class="heading">
        <h1>Changes of <a href="${wikiPageAddress(place, page.slug)}">${isolated(page.title)}</a></h1>
        <p class="actions"><a class="button" href="${wikiWorkAddress(place, 'history', page.slug)}">History</a></p>
      </div>
      <ul class="wiki-versions">${version(t`From`, from)}${version(t`To`, to)}</ul>
      ${diff}
    `,
  }
}
