/** The endpoint by which one unsubscribes from mail, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { unsubscribing } from './unsubscribing.endpoints.ts'

export const unsubscribingFeature = feature({ endpoints: section('Notification settings', unsubscribing) })
