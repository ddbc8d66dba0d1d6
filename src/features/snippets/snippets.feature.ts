/** Endpoints of snippets, for the table of contents. */
import { section } from '../../http/declare/endpoint.ts'
import { feature } from '../feature.ts'
import { snippets } from './snippets.endpoints.ts'
import { snippetWrites } from './writes.endpoints.ts'

export const snippetsFeature = feature({ endpoints: section('Snippets', snippets, snippetWrites) })
