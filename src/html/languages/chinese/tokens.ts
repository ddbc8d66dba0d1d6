/** Chinese: pages of access tokens. */
import type { tokens as german } from '../german/tokens.ts'

export const tokens: Record<keyof typeof german, string> = {
  'A token lets a program act in this group without being a person. It has a bot user of its own, who is a member here and nowhere else.':
    '程序可凭令牌在此群组中操作，而无需以个人身份。每个令牌都有自己的机器人用户，它只是这里的成员。',
  'A token lets a program act in this project without being a person. It has a bot user of its own, who is a member here and nowhere else.':
    '程序可凭令牌在此项目中操作，而无需以个人身份。每个令牌都有自己的机器人用户，它只是这里的成员。',
  'Clone and fetch by git over HTTP': '通过 HTTP 用 git 克隆和拉取',
  'Clone, fetch and push by git over HTTP': '通过 HTTP 用 git 克隆、拉取和推送',
  'Everything that can be read through the API': '可通过 API 读取的一切内容',
  'Everything the API can do with its role, and git': '在其角色权限内可通过 API 执行的一切操作，以及 git',
  'No effect: there is no container registry': '无作用：没有容器镜像仓库',
  'No token has been revoked or has expired.': '没有已撤销或已过期的令牌。',
  'Programs that use it are refused from now on. Its bot user is removed from the members.':
    '使用它的程序将立即被拒绝。其机器人用户会从成员中移除。',
  'Revoke {0}': '撤销 {0}',
  'Rotate this token itself': '轮换此令牌自身',
  'Rotate<span> {0}</span>': '轮换<span> {0}</span>',
  'The token stops working at the start of this day, in UTC. Leave it empty for no end.': '令牌在该日开始时（UTC）失效。留空则永不到期。',
  'There are no tokens yet.': '还没有令牌。',
  'What the bot user may do. No higher than your own role.': '机器人用户的权限。不能高于你自己的角色。',
  'no expiry': '永不到期',
  revoked: '已撤销',
  '{0}{1} · created {2} · {3} · {4}': '{0}{1} · 创建于 {2} · {3} · {4}',
}
