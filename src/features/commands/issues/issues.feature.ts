/** Endpoints of issues, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { issueWrites } from './issues.endpoints.ts'

export const commandsIssuesFeature = feature({ endpoints: section('Issues', issueWrites) })
