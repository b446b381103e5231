// Words of several languages, and parts of words. cspell:disable
/** Header fields and subjects of programs that answer for a person (RFC 3834, section 3.1.5). */
export const answerHeaders = ['x-autoreply', 'x-autorespond', 'x-autoresponder', 'x-vacation']
export const answerSubject =
  /^\W*(?:auto(?:matic|mated)?[- ]?(?:reply|response|answer)|out of (?:the )?office|vacation|away\b|on leave|abwesen|automatische antwort|r.ponse automatique|absence|respuesta autom|fuori sede|risposta automatica|自動(?:返信|応答)|不在)/i

/** Authors and subjects of the reports of mail servers. */
export const reportAuthor =
  /mailer-?daemon|post_?master|mail ?(?:delivery|system|administrator|admin)|delivery (?:sub)?system|system administrator|bounce|daemon|aws notification|@sns\.amazonaws\.com/i
export const reportSubject =
  /undeliver|un ?deliver|not (?:be )?deliver|delivery (?:status|fail|report|problem|notif|has failed|error|unsuccess)|(?:mail|message)s? (?:delivery|could not|fail|error|system error)|fail(?:ed|ure) (?:notice|notif|mail|deliver|to deliver)|returned (?:mail|to sender)|bounce|rejected|loop alert|unzustell|non remis|no entregad|mancata consegna|notice|amazon ses|aws notification|配[信送](?:不能|でき|エラー|失敗|不可)|届けでき|(?:未|不)達|返送|エラーメール|送信(?:エラー|失敗|でき)/i
