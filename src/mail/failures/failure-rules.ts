// Words of several languages, and parts of words. cspell:disable
import type { FailureCause } from './failure-causes.ts'

/**
 * Causes of enhanced status codes, without their class: RFC 3463, section 3, and the registry of RFC 5248, with the codes of
 * RFC 7293 (17, 18), RFC 7372 (20 to 26), RFC 7505 (1.10, 7.27) and RFC 8601 (29). Codes that say nothing about the cause,
 * such as X.0.0, X.1.0 and X.2.0, are missing; X.3.0 says that it is not the address. A detail that is missing has the cause of
 * its subject.
 */
export const statusCauses: Readonly<Record<string, FailureCause>> = {
  '1.1': 'ADDRESS_UNKNOWN',
  '1.2': 'DOMAIN_UNKNOWN',
  '1.3': 'ADDRESS_UNKNOWN',
  '1.4': 'ADDRESS_UNKNOWN',
  '1.6': 'ADDRESS_UNKNOWN',
  '1.7': 'SENDER',
  '1.8': 'SENDER',
  '1.9': 'NETWORK',
  '1.10': 'DOMAIN_UNKNOWN',
  '2.1': 'MAILBOX_DISABLED',
  '2.2': 'MAILBOX_FULL',
  '2.3': 'TOO_LARGE',
  '2.4': 'POLICY',
  '3.0': 'NETWORK',
  '3.1': 'NETWORK',
  '3.2': 'NETWORK',
  '3.3': 'NETWORK',
  '3.4': 'TOO_LARGE',
  '3.5': 'NETWORK',
  '4.1': 'NETWORK',
  '4.2': 'NETWORK',
  '4.3': 'NETWORK',
  '4.4': 'DOMAIN_UNKNOWN',
  '4.5': 'NETWORK',
  '4.6': 'NETWORK',
  '4.7': 'NETWORK',
  '5.3': 'RATE',
  '6': 'CONTENT',
  '7': 'POLICY',
  '7.8': 'AUTHENTICATION',
  '7.9': 'POLICY',
  '7.13': 'MAILBOX_DISABLED',
  '7.17': 'ADDRESS_UNKNOWN',
  '7.18': 'DOMAIN_UNKNOWN',
  '7.20': 'AUTHENTICATION',
  '7.21': 'AUTHENTICATION',
  '7.22': 'AUTHENTICATION',
  '7.23': 'AUTHENTICATION',
  '7.24': 'AUTHENTICATION',
  '7.25': 'AUTHENTICATION',
  '7.26': 'AUTHENTICATION',
  '7.27': 'SENDER',
  '7.28': 'RATE',
  '7.29': 'AUTHENTICATION',
}

/** Causes of replies without an enhanced code: RFC 5321, sections 4.2.2, 4.2.3 and 4.5.3.1.10; RFC 7504 (521, 556). */
export const replyCauses: Readonly<Record<number, FailureCause>> = {
  421: 'NETWORK',
  450: 'UNKNOWN',
  451: 'NETWORK',
  452: 'RATE',
  521: 'DOMAIN_UNKNOWN',
  551: 'ADDRESS_UNKNOWN',
  552: 'MAILBOX_FULL',
  553: 'ADDRESS_UNKNOWN',
  556: 'DOMAIN_UNKNOWN',
}

/** Operators of block lists whose address in a reply says that the sending server is listed. */
export const blockListOperators =
  /spamhaus|spamcop|sorbs\.net|barracudacentral|uceprotect|senderbase|cloudmark|mailspike|invaluement|abuseat|dnsbl|rbl\b|proofpoint\.com\/dnsbl/i

/** Words of a cause. Vague ones say only that something was refused or did not work, so that a code is more precise. */
type WordRule = readonly [cause: FailureCause, words: RegExp, precision?: 'vague']

/**
 * Causes of the words of replies, the most specific first. Sources: the examples of RFC 5321, and what Postfix, Sendmail, Exim,
 * qmail, Courier and Exchange, and the large receivers (Google, Microsoft, Yahoo, Apple, Tencent) document as their replies.
 */
export const wordCauses: readonly WordRule[] = [
  // A name server that does not answer, or a dialogue that failed, says nothing about the domain or the address.
  [
    'NETWORK',
    /(?:name ?server|dns|name service|host ?name lookup|resolver|mx lookup)\b.{0,120}?(?:unexpected|malformed|time[d]? ?-?out|temporar|try again|serv ?fail|server failure|refused|no (?:reply|response|answer)|(?:not|n't) (?:respond|repl(?:y|ied)|answer|available|reachable)|unreachable|lame|\bloop|invalid reply|bad reply|unavailable|query failed)|host ?name lookup failure|(?:unexpected|malformed|invalid) (?:or \w+ )?(?:name ?server|dns) (?:reply|response|answer)|protocol error|protocol violation|lost synchroni[sz]ation|unexpected (?:smtp )?(?:reply|response)/,
  ],
  // How Exchange Online refuses an address that its directory does not have.
  ['ADDRESS_UNKNOWN', /recipient address rejected: access denied/],
  [
    'RATE',
    /\btoo many (?:\w+ ){0,3}(?:connections?|messages|users?|recipients|e-?mails|errors|mails?|sessions|attempts)|rate.?limit|thrott?l|\bat a rate\b|receiving mail too|unusual rate|grey-?list|gray-?list|(?:connection|message|sending|hourly|daily|recipient) (?:rate|limit|frequency|quota)s? (?:\w+ ){0,2}(?:exceeded|reached|limited)|exceed(?:ed|s)? (?:\w+ ){0,4}(?:rate|sending (?:limit|quota)|connections)|number of (?:concurrent|simultaneous) connections|frequency limit|too (?:fast|frequent)|slow down|user complaints|unexpected volume/,
  ],
  [
    'CONTENT',
    /\bvirus|malware|phish|black-?listed (?:url|link)|(?:url|link)s? (?:\w+ ){0,3}(?:black-?list|block)|infected|dangerous|prohibited attachment/,
  ],
  [
    'AUTHENTICATION',
    /\bdmarc|\bspf\b|\bdkim\b|sender.?id\b|unauthenticated (?:e-?mail|mail|message|sender)|not (?:pass )?authenticat|authentication (?:required|checks?|fail|results)|authenticated (?:mail|users?|sender)|sender policy framework|\bptr\b|reverse (?:dns|lookup|map)|\brdns\b|(?:cannot|could not|can't|unable to) (?:find|resolve) your (?:host ?name|reverse)|forged|helo (?:command )?rejected|invalid helo|spoof/,
  ],
  [
    'BLOCK_LIST',
    /\b(?:block|black|deny|reject)[ -]?list|\bdns-?[bw]l\b|\brbl\b|blocked using|(?:bad|poor|low|sender|ip) reputation|reputation (?:of|is|for|score)|\b(?:client|server|host|ip)(?: (?:host|address|name))?(?: (?!recipient|sender|user|address|said|command)\S+){0,4} (?:is |was |has been |have been )?(?:blocked|banned|denied|rejected|refused|(?:temporarily )?deferred|not allowed)|(?:blocked|banned|denied|rejected|refused) (?:\w+ ){0,4}(?:ip|client|host|network)\b|your (?:ip|network|server|mail server|provider)\b|\bmessages from \S*(?: \S+)? weren't sent|access denied\. ?ip|dynamic ip|residential|connection (?:refused|dropped|rejected) due to|(?<!not )(?<!no longer )\blisted (?:at|in|on|by)\b|use the smtp server of your isp|bad (?:neighbou?rhood|host)/,
  ],
  [
    'MAILBOX_FULL',
    /(?:mail ?box|inbox|mail ?folder|maildir|account|storage|mail ?store|quota|disk|user|recipient|container)\b(?: \S+){0,8}? (?:is |was |are |has )?(?:(?:almost |already |too )?full\b|over ?-?quota|exceed|out of (?:storage|quota|space)|over (?:the )?(?:quota|limit|allowed|maximum|its)|limit exceeded)|over ?-?quota|quota (?:is )?(?:exceeded|violation|full|limit)|exceed(?:s|ed|ing)? (?:\w+ ){0,4}(?:quota|storage|allowed size|mailbox|space)|(?:would|not) enough (?:\w+ )?(?:storage|space)|insufficient (?:\w+ ){0,2}(?:storage|space|disk)|full mail ?box|mail ?box(?:es)? (?:\w+ )?full|no space left|too much mail data|boite pleine|voll\b|(?:メール ?ボックス|容量|保存領域|受信箱).{0,12}(?:いっぱい|一杯|満杯|超え|超過|オーバー|不足)|переполнен/,
  ],
  [
    'TOO_LARGE',
    /(?:message|mail|e-?mail|content|data|body|attachment)s?(?: \w+){0,3}? (?:size|length)(?: \w+){0,6}? (?:exceed|limit|large|big)|(?:too (?:big|large|long))\b|size limit|size exceeds|exceeds (?:the )?(?:\w+ ){0,3}(?:size|length|fixed|administrative)|maximum (?:\w+ )?(?:message|mail) size|message length exceeds|サイズ.{0,12}(?:超|大き|制限|オーバー)|(?:大き|長)すぎ/,
  ],
  [
    'SENDER',
    /(?:sender|from|return.?path|originator|reverse-path|envelope.?from)\b(?: (?:address|domain|e-?mail|mail|header|verify|user|host|name|envelope|id|is|was|of|the|not|\S*@\S*))* (?:rejected|denied|refused|invalid|unknown|unroutable|unverified|fail|does not exist|does not resolve|doesn't exist|not (?:exist|found|verified|allowed|accepted|valid|resolve)|blocked|missing|must)|(?:domain|address|mailbox) of (?:the )?sender|(?:invalid|bad|unroutable|unverified|unknown|unresolvable|illegal|malformed|null) (?:sender|mail from|return.?path|originator|envelope.?(?:from|sender)|reverse-path|from)|sender(?:'s)? (?:is )?(?:black|block)|sender verif|return address domain|rejected sender|sender rejected|not accept(?:ing)? (?:mail|messages|e-?mail)s? from|we do not accept mail from|cannot send (?:mail )?(?:from|to)|(?:差出人|送信者|送信元|発信者).{0,16}(?:拒否|不明|存在し|無効|見つか|正しく)/,
  ],
  ['POLICY', /blocked by (?:the )?(?:recipient|user|addressee)|(?:user|recipient) has blocked/],
  [
    'MAILBOX_DISABLED',
    /(?:account|mail ?box|user|recipient|address|login|customer)\b(?: \S+){0,5}? (?:is |was |has been |been |are |currently )?(?:disabled|inactive|inactivated|suspended|deactivated|de-activated|locked|expired|terminated|closed|dormant|not active|no longer active|on hold|frozen|discontinued|retired|withdrawn|unavailable due to inactivity)\b|(?:disabled|inactive|suspended|deactivated|expired|closed|locked|discontinued) (?:\w+ ){0,2}(?:account|mail ?box|user|recipient|address)|account(?:s)? (?:\w+ )?(?:not )?(?:activated|on hold)|(?:アカウント|メール ?ボックス|ユーザー?).{0,8}(?:停止|休止|解約|利用できません|使用できません)/,
  ],
  // In Japanese, what does not exist comes first.
  ['DOMAIN_UNKNOWN', /(?:ドメイン|ホスト)名?.{0,10}(?:見つか[りら]|存在し(?:ません|ない)|不明|ありません)/],
  [
    'ADDRESS_UNKNOWN',
    /(?:user|recipient|mail ?box|address(?:ee)?|account|local.?part|alias|person|customer|subscriber|member|party|id|(?<!domain |host )name|login)s?\b(?: (?!sender|domain|host)\S+){0,6}? (?:is |was |are |has |have |does )?(?:unknown|not (?:been )?(?:found|known|exist|listed|recogni[sz]ed|valid|deliverable|a valid|local|have|active|registered)|isn't (?:a valid|known)|couldn't be found|could not be found|can(?:not|'t) be found|wasn't found|doesn't exist|does not (?:exist|have|like)|doesn't have|invalid|no longer|moved|gone|undeliverable|not available|nonexist|non-exist|doesn't like)|(?:unknown|invalid|no such|no|bad|non-?exist(?:e|a)nt|illegal|undeliverable|unrout(?:e)?able|wrong|not a (?:valid|known|local)|isn't a valid|ambiguous|misspelled|incorrect|non existing|undefined) (?:\w+[- ]){0,3}(?:user|recipient|mail ?box|address|account|local|name|person|alias|id\b|customer|subscriber|addressee)|\bunknown user|user unknown|has moved|moved to|mailbox unavailable|mailbox not found|does not like recipient|no such person|mailbox name not allowed|not our customer|no mailbox here|recipient not (?:found|exist)|address not present|unable to find (?:user|recipient)|not listed in (?:\w+ ){0,3}(?:directory|address book|public)|nosuchuser|utilisateur inconnu|adresse d au moins un destinataire invalide|destinataire inconnu|usuario desconocido|empf.nger unbekannt|dosn't exist|(?:ユーザー?|宛先|アドレス|受信者|メールボックス|アカウント).{0,12}(?:見つか[りら]|存在し(?:ません|ない)|不明|誤|正しく|間違|ありません|無効)|(?:見つか[りら]|存在し(?:ません|ない)|不明|無効)な?.{0,4}(?:ユーザー?|宛先|アドレス|受信者)|見つか[りら]|存在し(?:ません|ない)|宛先不明|該当するユーザ|найден|не существует|неизвестный (?:пользователь|получатель)/,
  ],
  [
    'DOMAIN_UNKNOWN',
    /(?:host|domain|mail ?server)(?: or domain)?(?: name)?\b(?: \S+){0,3}? (?:not (?:found|known|exist)|unknown|does(?: not|n't) exist|lookup (?:failed|failure)|is not valid|non-?exist\w*)|(?:unknown|no such|invalid|non-?exist(?:e|a)nt|unrout(?:e)?able|bad|illegal) (?:\w+ )?(?:host|domain)|nx-?domain|\bdns\b(?: \w+){0,4} (?:not found|non-?existent|does not exist|no (?:mail|mx))|name service error|couldn't find any host|(?:can't|cannot|could not|couldn't|unable to) (?:find|resolve|locate) (?:\w+ ){0,3}(?:host|domain|address|server)|null ?mx|no (?:mx|mail exchanger|valid (?:mx|host)|smtp service|mail server)|does(?: not|n't) accept (?:any )?(?:e-?mail|mail)\b|not accept(?:ing)? (?:any )?(?:e-?mail|mail)\b|all relevant mx records point to non-existent|address lookup (?:failed|failure)|no route to domain|domain is not reachable|mx record/,
  ],
  [
    'ADDRESS_UNKNOWN',
    /\bbad[- ]?(?:rcpt|recipient)|(?:can't|cannot|could not|unable to) (?:accept|find|locate) (?:the |this )?(?:user|recipient|mail ?box)|addresse?s? (?:were|was|are) unknown|(?:mail ?box|user|recipient) not present|not (?:found|known) (?:on|at|by) this (?:server|site|host|system)|\brcpt\b(?: \S+)? (?:does not exist|not found|unknown)|unknown rcpt|missing home directory|archived recipient|lookup in domain map failed|(?:empf.nger|adresse|benutzer|postfach|mail ?box|konto)\b.{0,20}(?:unbekannt|existiert nicht|nicht (?:gefunden|vorhanden|bekannt))|(?:utente|destinatario|indirizzo|casella) (?:\w+ )?(?:sconosciut|inesistente|non esiste|desconocid)|(?:destinatario|usuario|usu.rio|buz.n|cuenta|endere.o|caixa|conta)\b.{0,20}(?:desconocid|desconhecid|inexistente|no existe|n.o existe|n.o encontrad)|(?:adresse|bo.te|utilisateur|destinataire|compte)\b.{0,20}(?:inexistant|inconnu|n'existe pas|introuvable)|onbekende (?:gebruiker|ontvanger)|(?:gebruiker|ontvanger|adres) (?:is )?onbekend|nieznany (?:u.ytkownik|odbiorca|adres)|ukjent (?:bruker|mottaker)|ok.nd (?:anv.ndare|mottagare)|ukendt (?:bruger|modtager)/,
  ],
  ['DOMAIN_UNKNOWN', /domain must exist/],
  [
    'POLICY',
    /relay|polic(?:y|ies)\b|prohibited|access denied|administrative|not (?:permitted|authori[sz]ed|allowed)|unauthori[sz]ed|restricted|permission|members? only|not a member|refused by|protection|filter|security|transaction failed|\btls\b|encryption|starttls|don't accept|challenge|confirm|rejected by|拒否|ブロック|フィルタ|許可されて/,
    'vague',
  ],
  [
    'CONTENT',
    /spam|迷惑メール|ウイルス|unsolicited|\bube\b|bulk|junk|content|(?:header|format|syntax) error|malformed|\brfc ?-?\d+|mime|line (?:too )?long|bare (?:cr|lf)|duplicate(?:d)? (?:header|message)|attachment|score/,
  ],
  [
    'NETWORK',
    /time[d]? ?-?out|connect(?:ion)?\b|loop|too many hops|hop count|retry|expired|unreachable|not responding|try again|temporar|lost|giving up|could not deliver for|no route|socket|delivery (?:attempt|time|failed \d+ attempts)|delayed|out of memory|local (?:error|problem)|system (?:error|problem|config|not accept)|internal|mailer|pipe to|command (?:failed|died)|service (?:currently )?unavailable|not available|i\/o|error code|resource|busy|bounced|接続(?:でき|に失敗|が)|タイムアウト|応答(?:が|し)|一時的|遅延/,
    'vague',
  ],
  [
    'ADDRESS_UNKNOWN',
    /(?:user|recipient)s? (?:\w+ )?(?:reject|refuse)|(?:reject|refuse)\w* (?:\w+ ){0,2}recipient|\baddress (?:was )?(?:rejected|refused)/,
    'vague',
  ],
]

/** The sender is refused in reply to this command, whatever the reply says. */
export const senderCommands =
  /\b(?:after|to|our|reply to|response to|during) (?:mail from|mail\b(?! (?:server|box|system|host))|ehlo|helo|connection)|>>> mail from/

/** Words of failures that may pass, in texts without a code. */
export const temporaryWords = /try again|temporar|time[d]? ?-?out|deferred|retry|一時的|再送/

/** Words that make a failure final whatever its code: the domain has published that it accepts no e-mail (RFC 7505). */
export const finalWords = /null ?mx|no smtp service/
