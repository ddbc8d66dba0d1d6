/** The branches and tags of a project whose names contain the words. */
import type { LocatedProject } from '../../access/find.ts'
import { addressAt, tagsAddress } from '../../addresses/repository.ts'
import type { App } from '../../app.ts'
import { branchRevision, tagRevision } from '../../git/refs/names.ts'
import { pageOfRefs } from '../../git/refs/refs.ts'
import { type Html, html } from '../../html/html.ts'
import { icon, isolated } from '../frame/parts.ts'
import { noRefMatches } from '../spaces/lists/sentences.ts'

const max = 20

export async function refsFound(
  app: App,
  { id, full_path }: LocatedProject,
  words: string,
): Promise<{ list: Html; total: number; none: string }> {
  const repo = app.git.open(id)
  const order = { order_by: 'updated', sort: 'desc', search: words } as const
  const page = { limit: max, offset: 0 }
  const [branches, tags] = await Promise.all([pageOfRefs(repo, 'heads', order, page), pageOfRefs(repo, 'tags', order, page)])
  const total = branches.total + tags.total
  const rows = (kind: 'branch' | 'tag', names: Array<{ name: string }>) =>
    names.map(
      ({ name }) =>
        html`
          <li>
            ${icon(kind)}
            <div class="what">
              <a href="${addressAt(full_path, 'tree', kind === 'tag' ? tagRevision(name) : branchRevision(name))}">${isolated(name)}</a>
            </div>
            <div class="facts">${kind}</div>
          </li>
        `,
    )
  const more = branches.total > max || tags.total > max
  const list = html`
    <ul class="rows">${rows('branch', branches.rows)}${rows('tag', tags.rows)}</ul>
    ${
      more &&
      html`
        <p class="hint">
          All that match: <a href="/${full_path}/branches?search=${encodeURIComponent(words)}">branches</a>,
          <a href="${tagsAddress({ full_path })}?search=${encodeURIComponent(words)}">tags</a>
        </p>
      `
    }
  `
  return { list, total, none: noRefMatches() }
}
