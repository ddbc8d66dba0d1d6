/** Endpoints of issues, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { issues } from './issues.endpoints.ts'
import { issueLists } from './lists.endpoints.ts'

export const planningIssuesFeature = feature({ endpoints: section('Issues', issueLists, issues) })
