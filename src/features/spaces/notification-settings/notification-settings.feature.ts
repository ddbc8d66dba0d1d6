/** Endpoints of notification settings, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { notificationSettings } from './notification-settings.endpoints.ts'

export const notificationSettingsFeature = feature({ endpoints: section('Notification settings', notificationSettings) })
