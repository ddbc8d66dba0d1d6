/** One commit, as a page and as text, and its actions: cherry-pick, revert, comment. */

import { Type } from 'typebox'
import { addressAt, commitAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import { Failure, invalid, notFound } from '../../../failure.ts'
import { addComment } from '../../../features/commands/commit-comments/commit-comments.ts'
import { discussible, type Written, writeNote } from '../../../features/commands/notes/notes.ts'
import type { NoteableGranted } from '../../../features/noteable-kinds.ts'
import { applyCommit, type CommitOperation } from '../../../features/repository/commit-actions/commit-actions.ts'
import { commitKind } from '../../../features/repository/commits/commits.ts'
import { commit } from '../../../features/repository/revisions.ts'
import { openDiff, openPatch } from '../../../git/diff/patch-stream.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { branchRevision, isRefName, tagRevision } from '../../../git/refs/names.ts'
import { refsContaining } from '../../../git/refs/refs.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { RawReply } from '../../../http/declare/endpoint.ts'
import { type ProjectGranted, project, type SignedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { nameInPath, oneOfDefault } from '../../../http/parameters/schema.ts'
import { disposition } from '../../../http/reply/content-disposition.ts'
import { action, page, type Typed } from '../../frame/declaration.ts'
import { emptyState, isolated } from '../../frame/parts.ts'
import { aboutBody, noteChangePages } from '../../planning/discussion/notes.pages.ts'
import { projectView } from '../../project/project-view.ts'
import { commitView } from './commit.ts'
import { shortId } from './commits.ts'
import { diffQuery } from './diff/options.ts'
import type { CommitSeen } from './notes.ts'
import { sentences } from './sentences.ts'

type Format = 'page' | 'patch' | 'diff'

/** The commit of a URL that may end in `.patch` or `.diff`: a ref with the full name takes precedence. */
const commitOrText = nested({ sha: nameInPath('Commit, branch or tag') }, async ({ repo }: ProjectGranted, { sha }) => {
  const whole = await resolveCommit(repo, sha)
  if (whole) return { commit: whole, format: 'page' as Format }
  const [, name = '', ending] = /^(.+)\.(patch|diff)$/.exec(sha) ?? []
  const named = name === '' ? null : await resolveCommit(repo, name)
  if (!named) throw notFound('Commit')
  return { commit: named, format: ending as Format }
})

export const commitPages = [
  page('GET /:project/commit/:sha', {
    access: within(project('code'), commitOrText),
    query: diffQuery,
    async show(context) {
      const { format, repo, commit: oid, sent } = context
      return format === 'page' ? commitView(context, sent) : { bytes: await textOf(repo, oid, format) }
    },
  }),
  page('GET /:project/commit/:sha/branches', {
    access: within(project('code'), commit),
    async show({ project, level, user, repo, commit: oid }) {
      const refs = await refsContaining(repo, oid, ['heads', 'tags'])
      const title = t`Branches and tags with ${shortId(oid)}`
      return projectView(
        { project, level, user, tab: 'commits' },
        {
          title,
          main: html`
            <h1>${title}</h1>
            <p><a href="${commitAddress(project, oid)}">Back to the commit</a></p>
            <div class="refs">
              ${refs.length === 0 && emptyState(sentences.noRefs)}
              ${refList(project.full_path, t`Branches`, refs, 'refs/heads/')}
              ${refList(project.full_path, t`Tags`, refs, 'refs/tags/')}
            </div>
          `,
        },
      )
    },
  }),
  applying('cherry-pick'),
  applying('revert'),
  action('POST /:project/commit/:sha/notes', {
    limit: 'notes_create',
    access: discussible(commitKind.access),
    form: {
      body: Type.String({ default: '' }),
      discussion_id: Type.Optional(Type.String({ maxLength: 100 })),
      path: Type.Optional(Type.String({ maxLength: 4_096 })),
      line: Type.Optional(Type.String({ maxLength: 20 })),
      line_type: Type.Optional(Type.String({ maxLength: 10 })),
      act: oneOfDefault('comment', 'discussion'),
    },
    async act(seen) {
      const { project, noteable } = seen
      const { oid } = noteable.row
      const { written, isElsewhere } = await writeOn(seen)
      const { summary, refusals } = written.kind === 'award' ? { summary: [], refusals: [] } : written.commands
      const notice = [isElsewhere ? sentences.notedElsewhere : sentences.noted, ...summary, ...refusals].join(' ')
      return { redirect: `${commitAddress(project, oid)}${written.kind === 'note' ? `#note_${written.note.id}` : ''}`, notice }
    },
    again: (seen, typed) => commitView({ ...seen, commit: seen.noteable.row.oid }, undefined, { form: 'note', typed: aboutBody(typed) }),
  }),
  ...noteChangePages(commitKind, { tab: 'commits' }),
]

type Writing = ProjectGranted & SignedIn & NoteableGranted<'commit'> & { app: App; sent: Sent }

interface Sent {
  body: string
  discussion_id?: string
  path?: string
  line?: string
  line_type?: string
  act: 'comment' | 'discussion'
}

/** A reply, or a note on the commit or on a line of it: on the commit as a whole if its diff doesn't contain the line. */
async function writeOn({ app, project, level, user, noteable, sent }: Writing): Promise<{ written: Written; isElsewhere: boolean }> {
  const { body, discussion_id, path, line, line_type, act } = sent
  const at = path ? lineOf(line) : undefined
  if (at === undefined) {
    const discussion = discussion_id ? { id: discussion_id } : act === 'discussion' ? ('new' as const) : undefined
    return { written: await writeNote(app, user, noteable, { body, discussion }), isElsewhere: false }
  }
  const { oid: sha } = noteable.row
  const named = { sha, note: body, path, line: at, line_type: line_type === 'old' ? ('old' as const) : ('new' as const) }
  const note = await addComment(app, { project, level }, user, sha, named)
  return { written: { kind: 'note', note, commands: { updates: {}, summary: [], refusals: [] } }, isElsewhere: note.position === null }
}

/** The submitted number; undefined for a note on the whole commit. */
function lineOf(text = ''): number | undefined {
  if (text.trim() === '') return undefined
  if (!/^[1-9]\d{0,8}$/.test(text.trim())) throw invalid({ line: [sentences.notALine] })
  return Number(text)
}

async function textOf(repo: Repo, oid: string, format: Format): Promise<RawReply> {
  const found = await readCommit(repo, oid)
  return {
    etag: `W/"${oid}.${format}"`,
    describe: () => ({ type: 'text/plain; charset=utf-8', 'content-disposition': disposition('inline', `${shortId(oid)}.${format}`) }),
    open: () => (format === 'patch' ? openPatch(repo, found) : openDiff(repo, found.parents[0] ?? null, oid)),
  }
}

/** Limit of refs of each kind. */
const maxRefs = 200

function refList(path: string, heading: string, refs: readonly string[], kind: string): Html | null {
  const names = refs.flatMap((ref) => (ref.startsWith(kind) ? [ref.slice(kind.length)] : []))
  if (names.length === 0) return null
  const links = names.slice(0, maxRefs).map(
    (name) =>
      html`
        <li>
          <a
            class="tag ref"
            href="${addressAt(path, 'commits', kind === 'refs/tags/' ? tagRevision(name) : branchRevision(name))}"
          >${isolated(name)}</a>
        </li>
      `,
  )
  return html`
    <h2>${heading}</h2>
    <ul class="refs-list">${links}</ul>
    ${names.length > maxRefs && html`<p class="hint">${sentences.andMore(names.length - maxRefs)}</p>`}
  `
}

/** Both are posted to the commit's URL, with the target branch. */
function applying(kind: CommitOperation) {
  const form = kind === 'revert' ? 'revert' : 'cherry_pick'
  const said = kind === 'revert' ? sentences.reverted : sentences.picked
  const spec = {
    access: within(project('push_code'), commit),
    form: { branch: Type.String({ default: '', maxLength: 255 }) },
    async act({
      app,
      user,
      project,
      level,
      commit: oid,
      sent: { branch },
    }: CommitSeen & { user: NonNullable<CommitSeen['user']>; sent: { branch: string } }) {
      if (!isRefName(branch)) throw invalid({ branch: [sentences.noBranch] })
      const made = await applyCommit(app, { user, project, level }, kind, oid, branch).catch((error) => {
        throw error instanceof Failure && error.code === 'not_found' ? invalid({ branch: [sentences.noBranch] }) : error
      })
      return { redirect: commitAddress(project, made.oid), notice: said(branch) }
    },
    again: (context: CommitSeen, typed: Typed) => commitView(context, undefined, { form, typed: withoutJargon(typed) }),
  } as const
  return kind === 'revert' ? action('POST /:project/commit/:sha/revert', spec) : action('POST /:project/commit/:sha/cherry_pick', spec)
}

/** Replaces the terms of the API in messages of the service. */
function withoutJargon({ values, errors }: Typed): Typed {
  const all = errors.all.map((sentence) => (sentence.includes('automatically') ? sentences.conflict : sentence))
  return { values, errors: { ...errors, all } }
}
