/** The pages of personal and project snippets: lists, one with its files, forms, raw files, and a script to embed one. */

import { Type } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import { canCreatePersonalSnippets, canCreateSnippets } from '../../../access/snippets.ts'
import { snippetAddress } from '../../../addresses/documents.ts'
import {
  changeableInProject,
  changeableSnippet,
  changeSnippet,
  createSnippet,
  creatingInProject,
  creatingSnippets,
  findSnippet,
  rawSnippet,
  removeSnippet,
  snippetInPath,
  visibleSnippet,
} from '../../../features/snippets/snippets.ts'
import { t } from '../../../html/sentences.ts'
import type { RawReply } from '../../../http/declare/endpoint.ts'
import { anyone, project, signedIn, using } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { oneOf } from '../../../http/parameters/schema.ts'
import { dashboardTabs } from '../../frame/dashboard-tabs.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { pageNumber } from '../../frame/paging.ts'
import { projectView, type Seen } from '../../project/project-view.ts'
import { exploreTabs } from '../../spaces/lists/explore.pages.ts'
import { snippetCommentPages } from './comments.pages.ts'
import { commentedSnippetView } from './comments.ts'
import { embedScript } from './embed.ts'
import { requestOf, snippetForm, snippetFormView } from './form-view.ts'
import { snippetList } from './list-view.ts'
import { sentences } from './sentences.ts'
import { snippetTalkPages } from './talk.pages.ts'
import { discussedSnippetView } from './talk.ts'

const query = { ...pageNumber, visibility: Type.Optional(oneOf('private', 'internal', 'public')) }
const seenInProject = within(project('visible'), snippetInPath)

const framed = (seen: Seen, view: Omit<View, 'above'>): View => projectView({ ...seen, tab: 'snippets', showsCode: false }, view)
const framedAlone = (view: Omit<View, 'above'>): View => ({ ...view, above: dashboardTabs('snippets') })

const personal = [
  page('GET /snippets', {
    access: signedIn(),
    query,
    async show({ app, user, sent }) {
      const creation = canCreatePersonalSnippets(user) ? '/snippets/new' : null
      const list = { address: '/snippets', filter: { author_id: user.id }, creation, heading: t`Your snippets` }
      return { title: t`Your snippets`, above: dashboardTabs('snippets'), main: await snippetList(app, user, list, sent) }
    },
  }),
  page('GET /dashboard/snippets', { access: signedIn(), show: () => ({ redirect: '/snippets' }) }),
  page('GET /explore/snippets', {
    access: anyone(),
    query,
    async show({ app, user, sent }) {
      const creation = user && canCreatePersonalSnippets(user) ? '/snippets/new' : null
      const list = { address: '/explore/snippets', filter: {}, creation, heading: t`Snippets`, none: sentences.noneOpen }
      return { title: t`Explore snippets`, above: exploreTabs('snippets'), main: await snippetList(app, user, list, sent) }
    },
  }),
  page('GET /-/snippets/*', { access: anyone(), show: ({ params }) => ({ redirect: `/snippets/${encodeURI(params['*'])}`, status: 301 }) }),
  page('GET /snippets/new', {
    access: creatingSnippets(),
    show: async (seen) => framedAlone(await snippetFormView({ ...seen, project: null, snippet: null }, '/snippets')),
  }),
  page('GET /snippets/:id', {
    access: visibleSnippet(),
    query: pageNumber,
    async show(seen) {
      const { snippet, access } = seen
      // A project snippet has only one page, within its project.
      if (access) return { redirect: snippetAddress(snippet, access.project.full_path) }
      return commentedSnippetView(seen, { page: seen.sent.page })
    },
  }),
  page('GET /snippets/:id/edit', {
    access: changeableSnippet(),
    async show(seen) {
      const { snippet, access } = seen
      if (access) return { redirect: `${snippetAddress(snippet, access.project.full_path)}/edit` }
      return framedAlone(await snippetFormView({ ...seen, project: null }, `/snippets/${snippet.id}`))
    },
  }),
  page('GET /snippets/:id/raw', {
    access: visibleSnippet(),
    show: async ({ app, snippet }) => ({ bytes: await rawSnippet(app, snippet) }),
  }),
  page('GET /snippets/:id/raw/main/*', {
    access: visibleSnippet(),
    show: async ({ app, snippet, params }) => ({ bytes: await rawSnippet(app, snippet, params['*']) }),
  }),
  page('GET /snippets/:id/embed.js', {
    access: visibleSnippet(),
    // Only what everybody can see, regardless of the caller: a page of another site could read it.
    show: async ({ app, snippet }) => ({ bytes: scriptOf(await embedScript(app, (await findSnippet(app.db, snippet.id, null)).snippet)) }),
  }),
  action('POST /snippets', {
    access: creatingSnippets(),
    form: snippetForm,
    async act({ app, user, sent, ip, agent }) {
      const { contents, ...fields } = requestOf(sent)
      const request = { ...fields, files: contents, visibility: fields.visibility ?? 'private' }
      const created = await createSnippet(app, user, null, request, { ip, user_agent: agent ?? '' })
      return { redirect: snippetAddress(created, null), notice: sentences.created(created.title) }
    },
    again: async (seen, typed: Typed) => framedAlone(await snippetFormView({ ...seen, project: null, snippet: null }, '/snippets', typed)),
  }),
  action('POST /snippets/:id', {
    access: changeableSnippet(),
    form: snippetForm,
    async act({ app, user, snippet, access, sent }) {
      const changed = await changeSnippet(app, user, snippet, requestOf(sent))
      return { redirect: snippetAddress(changed, access?.project.full_path ?? null), notice: sentences.changed(changed.title) }
    },
    again: async (seen, typed: Typed) =>
      framedAlone(await snippetFormView({ ...seen, project: seen.access?.project ?? null }, `/snippets/${seen.snippet.id}`, typed)),
  }),
  action('POST /snippets/:id/remove', {
    access: changeableSnippet(),
    async act({ app, snippet }) {
      await removeSnippet(app, snippet)
      return { redirect: '/snippets', notice: sentences.deleted(snippet.title) }
    },
  }),
]

const listOf = ({ full_path }: LocatedProject) => `/${full_path}/snippets`

const ofProjects = [
  page('GET /:project/snippets', {
    access: using('snippets', project('visible')),
    query,
    async show({ app, access, user, project, level, sent }) {
      const address = listOf(project)
      const creation = user && canCreateSnippets(access) ? `${address}/new` : null
      const list = { address, filter: { project_id: project.id }, creation, heading: t`Snippets` }
      return framed({ project, level, user }, { title: t`Snippets`, main: await snippetList(app, user, list, sent) })
    },
  }),
  page('GET /:project/snippets/new', {
    access: creatingInProject(),
    show: async (seen) => framed(seen, await snippetFormView({ ...seen, snippet: null }, listOf(seen.project))),
  }),
  page('GET /:project/snippets/:snippet_id', {
    access: seenInProject,
    query: pageNumber,
    show: (seen) => discussedSnippetView(seen, { page: seen.sent.page }),
  }),
  page('GET /:project/snippets/:snippet_id/edit', {
    access: changeableInProject(),
    show: async (seen) => framed(seen, await snippetFormView(seen, `${listOf(seen.project)}/${seen.snippet.id}`)),
  }),
  page('GET /:project/snippets/:snippet_id/raw', {
    access: seenInProject,
    show: async ({ app, snippet }) => ({ bytes: await rawSnippet(app, snippet) }),
  }),
  page('GET /:project/snippets/:snippet_id/raw/main/*', {
    access: seenInProject,
    show: async ({ app, snippet, params }) => ({ bytes: await rawSnippet(app, snippet, params['*']) }),
  }),
  page('GET /:project/snippets/:snippet_id/embed.js', {
    access: seenInProject,
    show: async ({ app, snippet }) => ({ bytes: scriptOf(await embedScript(app, (await findSnippet(app.db, snippet.id, null)).snippet)) }),
  }),
  action('POST /:project/snippets', {
    access: creatingInProject(),
    form: snippetForm,
    async act({ app, user, project, sent, ip, agent }) {
      const { contents, ...fields } = requestOf(sent)
      const request = { ...fields, files: contents, visibility: fields.visibility ?? 'private' }
      const created = await createSnippet(app, user, project, request, { ip, user_agent: agent ?? '' })
      return { redirect: snippetAddress(created, project.full_path), notice: sentences.created(created.title) }
    },
    again: async (seen, typed: Typed) => framed(seen, await snippetFormView({ ...seen, snippet: null }, listOf(seen.project), typed)),
  }),
  action('POST /:project/snippets/:snippet_id', {
    access: changeableInProject(),
    form: snippetForm,
    async act({ app, user, project, snippet, sent }) {
      const changed = await changeSnippet(app, user, snippet, requestOf(sent))
      return { redirect: snippetAddress(changed, project.full_path), notice: sentences.changed(changed.title) }
    },
    again: async (seen, typed: Typed) => framed(seen, await snippetFormView(seen, `${listOf(seen.project)}/${seen.snippet.id}`, typed)),
  }),
  action('POST /:project/snippets/:snippet_id/remove', {
    access: changeableInProject(),
    async act({ app, project, snippet }) {
      await removeSnippet(app, snippet)
      return { redirect: listOf(project), notice: sentences.deleted(snippet.title) }
    },
  }),
]

export const snippetsPages = [...personal, ...snippetCommentPages, ...ofProjects, ...snippetTalkPages]

/** The only script with content of users that browsers run; it contains that content only as text. */
function scriptOf(script: string): RawReply {
  const bytes = Buffer.from(script)
  return {
    size: bytes.length,
    describe: () => ({ type: 'text/javascript; charset=utf-8' }),
    open: (part) => (part ? bytes.subarray(part.start, part.end + 1) : bytes),
  }
}
