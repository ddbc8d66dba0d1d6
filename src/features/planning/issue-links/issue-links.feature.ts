/** Endpoints of issue links, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { issueLinks } from './issue-links.endpoints.ts'

export const issueLinksFeature = feature({ endpoints: section('Issues', issueLinks) })
