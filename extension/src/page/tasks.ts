// All task types of the extension: one line each.

import type { Inputs, ReadType, WriteType } from '../shared/protocol'
import type { Read, Write } from './task'
import { companyPosts, profilesPosts } from './author_posts'
import { comment } from './comment'
import { company } from './company'
import { invitation } from './invitation'
import { like } from './like'
import { message } from './message'
import { profile } from './profile'
import { companyScan, forumScan, keywordScan, peopleScan } from './scan'
import { connections, searchProfiles } from './search'
import { withdrawal } from './withdrawal'

export const reads: Record<ReadType, Read<any>> = {
  agent_profile_fetch: profile,
  agent_company_fetch: company,
  agent_profiles_posts_fetch: profilesPosts,
  agent_company_posts_fetch: companyPosts,
  agent_profiles_search: searchProfiles,
  agent_connections_fetch: connections,
  keyword_scan: keywordScan,
  forum_scan: forumScan,
  people_scan: peopleScan,
  company_scan: companyScan,
} satisfies { [T in ReadType]: Read<Inputs[T]> }

export const writes: Record<WriteType, Write<any>> = {
  agent_like_post: like,
  agent_comment_post: comment,
  agent_send_message: message,
  agent_send_connection_request: invitation,
  agent_withdraw_invitation: withdrawal,
} satisfies { [T in WriteType]: Write<Inputs[T]> }
