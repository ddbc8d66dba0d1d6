/** Endpoints of push rules, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { pushRules } from './push-rules.endpoints.ts'

export const pushRulesFeature = feature({ endpoints: section('Protected refs', pushRules) })
