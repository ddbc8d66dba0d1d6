/** Endpoints of issues, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { issueChanges } from './issues.endpoints.ts'

export const commandsIssuesFeature = feature({ endpoints: section('Issues', issueChanges) })
