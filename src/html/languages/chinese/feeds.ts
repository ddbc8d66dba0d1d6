/** Chinese: feeds. */
import type { feeds as german } from '../german/feeds.ts'

export const feeds: Record<keyof typeof german, string> = {
  'Activity of {0}': '{0} 的活动',
  'Activity of {0}’s projects': '{0} 的项目活动',
  '{0} Calendar': '{0} 日历',
  '{0} Feed': '{0} 订阅源',
  '{0} {1} in {2}': '{0} {1}（{2}）',
  '{0}: commits of {1}': '{0}：{1} 的提交',
}
