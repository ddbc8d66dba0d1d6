/** Reading personal and project snippets (spec 4.21). */
import { Type } from 'typebox'
import type { App } from '../../app.ts'
import type { Snippet as SnippetRow, User } from '../../db/tables.ts'
import { notFound } from '../../failure.ts'
import { endpoint, listEndpoint, type RawReply, streamEndpoint } from '../../http/declare/endpoint.ts'
import { administratorOf, anyone, signedIn } from '../../http/declare/rules.ts'
import { Instant, nameInPath } from '../../http/parameters/schema.ts'
import type { Page } from '../../http/reply/page.ts'
import { UserAgentDetail } from '../instance/user-agents/user-agents.schema.ts'
import { presentUserAgent } from '../instance/user-agents/user-agents.ts'
import { rawSnippet } from './raw.ts'
import { snippetInProject, snippetsOfProject, visibleSnippet } from './snippets.access.ts'
import { presentOne, presentSnippets } from './snippets.present.ts'
import { listSnippets, type SnippetFilter } from './snippets.queries.ts'
import { Snippet } from './snippets.schema.ts'

const query = { created_after: Type.Optional(Instant), created_before: Type.Optional(Instant) }
const inFile = { ref: nameInPath('`main`: snippets have one state'), file_path: nameInPath('Path of the file') }

export const snippets = [
  listEndpoint('GET /snippets', {
    summary: 'List the snippets of the caller',
    access: signedIn(),
    query,
    item: Snippet,
    handle: ({ app, user, query, page }) => pageOf(app, user, { ...query, author_id: user.id }, page),
  }),
  listEndpoint('GET /snippets/public', {
    summary: 'List the public snippets that the caller can see',
    access: anyone(),
    query,
    item: Snippet,
    handle: ({ app, user, query, page }) => pageOf(app, user, { ...query, visibility: 'public' }, page),
  }),
  listEndpoint('GET /snippets/all', {
    summary: 'List all snippets that the caller can see',
    access: signedIn(),
    query,
    item: Snippet,
    handle: ({ app, user, query, page }) => pageOf(app, user, query, page),
  }),
  endpoint('GET /snippets/:id', {
    summary: 'Get a snippet',
    access: visibleSnippet(),
    reply: Snippet,
    handle: ({ app, snippet }) => presentOne(app, snippet),
  }),
  streamEndpoint('GET /snippets/:id/raw', {
    summary: 'Get the content of a snippet',
    access: visibleSnippet(),
    handle: ({ app, snippet }) => rawSnippet(app, snippet),
  }),
  streamEndpoint('GET /snippets/:id/files/:ref/:file_path/raw', {
    summary: 'Get the content of a file of a snippet',
    access: visibleSnippet(),
    params: inFile,
    handle: ({ app, snippet, params }) => fileAt(app, snippet, params),
  }),
  endpoint('GET /snippets/:id/user_agent_detail', {
    summary: 'Get the client that created a snippet',
    access: administratorOf(visibleSnippet()),
    reply: UserAgentDetail,
    handle: ({ app, snippet }) => presentUserAgent(app.db, { snippet_id: snippet.id }),
  }),
  listEndpoint('GET /projects/:id/snippets', {
    summary: 'List the snippets of a project',
    access: snippetsOfProject(),
    item: Snippet,
    handle: ({ app, user, project, page }) => pageOf(app, user, { project_id: project.id }, page),
  }),
  endpoint('GET /projects/:id/snippets/:snippet_id', {
    summary: 'Get a snippet of a project',
    access: snippetInProject(),
    reply: Snippet,
    handle: ({ app, snippet }) => presentOne(app, snippet),
  }),
  streamEndpoint('GET /projects/:id/snippets/:snippet_id/raw', {
    summary: 'Get the content of a snippet of a project',
    access: snippetInProject(),
    handle: ({ app, snippet }) => rawSnippet(app, snippet),
  }),
  streamEndpoint('GET /projects/:id/snippets/:snippet_id/files/:ref/:file_path/raw', {
    summary: 'Get the content of a file of a snippet of a project',
    access: snippetInProject(),
    params: inFile,
    handle: ({ app, snippet, params }) => fileAt(app, snippet, params),
  }),
  endpoint('GET /projects/:id/snippets/:snippet_id/user_agent_detail', {
    summary: 'Get the client that created a snippet of a project',
    access: administratorOf(snippetInProject()),
    reply: UserAgentDetail,
    handle: ({ app, snippet }) => presentUserAgent(app.db, { snippet_id: snippet.id }),
  }),
]

async function pageOf(app: App, user: User | null, filter: SnippetFilter, page: Page) {
  const { rows, total } = await listSnippets(app.db, user, filter, page)
  return { rows: await presentSnippets(app, rows), total }
}

/** Names that clients use for the only revision of a snippet. */
const refs = ['main', 'master', 'HEAD']

function fileAt(app: App, snippet: SnippetRow, { ref, file_path }: { ref: string; file_path: string }): Promise<RawReply> {
  if (!refs.includes(ref)) throw notFound('Reference')
  return rawSnippet(app, snippet, file_path)
}
