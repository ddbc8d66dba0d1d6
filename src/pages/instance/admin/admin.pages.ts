/** All pages of administration. */
import { abuseReportPages } from './abuse-reports.pages.ts'
import { adminAppearancePages } from './appearance.pages.ts'
import { applicationPages } from './applications.pages.ts'
import { auditLogPages } from './audit-log.pages.ts'
import { deployKeyPages } from './deploy-keys.pages.ts'
import { featurePages } from './features.pages.ts'
import { impersonationPages } from './impersonation.pages.ts'
import { jobPages } from './jobs.pages.ts'
import { messagePages } from './messages.pages.ts'
import { overviewPages } from './overview.pages.ts'
import { rateLimitPages } from './rate-limits.pages.ts'
import { settingPages } from './settings.pages.ts'
import { spacePages } from './spaces.pages.ts'
import { spamLogPages } from './spam-logs.pages.ts'
import { userCredentialPages } from './user-credentials.pages.ts'
import { userFormPages } from './user-forms.pages.ts'
import { userStatePages } from './user-states.pages.ts'
import { userPages } from './users.pages.ts'

export const adminPages = [
  ...overviewPages,
  // `/admin/users/new` before `/admin/users/:username`.
  ...userFormPages,
  ...userPages,
  ...userStatePages,
  ...abuseReportPages,
  ...spamLogPages,
  ...userCredentialPages,
  ...spacePages,
  ...jobPages,
  ...auditLogPages,
  ...rateLimitPages,
  ...messagePages,
  ...deployKeyPages,
  ...applicationPages,
  ...featurePages,
  ...settingPages,
  ...adminAppearancePages,
  ...impersonationPages,
]
