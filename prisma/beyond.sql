-- Database objects that Prisma's schema language cannot express, each with its reason. `npm run generate` writes the baseline from
-- the Prisma schema and this file: a table of which a partition is created here is partitioned by `created_at`.
--
-- A statement that makes a pending list of a GIN index longer than its limit merges it into the index, which takes up to 350 ms at
-- the default of 4 MB. Workers merge the lists every two seconds, so that no request does. Settings of autovacuum differ from its
-- default, a fifth of the rows, for the reasons in src/docs/growth.md.

-- Trigrams, for searches by a part of a text.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
-- Lets a GIN index start with the account number.
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- texts

-- The form in which words are searched: without case, accents and points of vowels, and with what people type in the place of
-- special characters. It is made character by character, so that the form of a part of a text is a part of its form. The tables of
-- ICU and of `normalize` can only grow, so that the form of a text, which indexes contain, stays the same.
CREATE FUNCTION search_key(words text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF octet_length(words) = length(words) THEN
    RETURN lower(words COLLATE "C");
  END IF;
  -- Marks of Latin, Greek, Cyrillic, Hebrew and Arabic. Vowels of other scripts, which are marks too, stay.
  words := lower(regexp_replace(normalize(words, NFKD),
    '[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670'
    '\u06d6-\u06dc\u06df-\u06e4\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+', '', 'g') COLLATE "und-x-icu");
  IF words !~ '[ßæœþøłđðıħŧς]' THEN
    RETURN words;
  END IF;
  words := replace(replace(replace(replace(words, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
  words := replace(replace(replace(replace(words, 'ø', 'o'), 'ł', 'l'), 'đ', 'd'), 'ð', 'd');
  RETURN replace(replace(replace(replace(words, 'ı', 'i'), 'ħ', 'h'), 'ŧ', 't'), 'ς', 'σ');
END $$;
-- The form of words in a pattern for LIKE. Some characters become wildcards by their form, so these are escaped after it is made.
CREATE FUNCTION search_pattern(words text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN replace(replace(replace(search_key(words), '\', '\\'), '%', '\%'), '_', '\_');

-- The order of a dictionary (UTS #10, the root of CLDR): by letters, then accents, then case. Different texts are never equal.
-- It is not one of the predefined collations: the owner of a collation alone can record the version of ICU that its indexes have.
CREATE COLLATION dictionary (provider = icu, locale = 'und', deterministic = true);

-- addresses

-- The form in which the e-mail address in `address_key` is compared, for one with characters outside ASCII. Only functions of
-- PostgreSQL that do not depend on a locale are used, so that the result, which indexes contain, is the same in every database.
CREATE FUNCTION international_address_key(address text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  capitals CONSTANT text :=
    'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽƁƂƄƆƇƉƊƋ'
    'ƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲƳƵƷƸƼǄǅǇǈǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶǷǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾɁɃɄɅɆɈɊɌɎͰ'
    'ͲͶͿΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫϏϘϚϜϞϠϢϤϦϨϪϬϮϴϷϹϺϽϾϿЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫ'
    'ЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦ'
    'ԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰᎱ'
    'ᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯᏰᏱᏲᏳᏴᏵᲉᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮ'
    'ᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊṌṎṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẞẠẢẤẦẨẪẬẮẰ'
    'ẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸỺỼỾἈἉἊἋἌἍἎἏἘἙἚἛἜἝἨἩἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜ'
    'ᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾸᾹᾺᾼῈῊῌῘῙῚῨῩῪῬῸῺῼℲⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯↃⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁⓂⓃⓄⓅⓆⓇⓈⓉⓊⓋⓌⓍⓎⓏⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛ'
    'ⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯⱠⱢⱣⱤⱧⱩⱫⱭⱮⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖ'
    'ꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾ'
    'ꟀꟂꟄꟅꟆꟇꟉꟋꟌ꟎Ꟑ꟒꟔ꟖꟘꟚꟜꟵＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿'
    '𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰𐕱𐕲𐕳𐕴𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃𐖄𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕𐲀𐲁𐲂𐲃𐲄𐲅𐲆𐲇𐲈𐲉𐲊𐲋𐲌𐲍𐲎𐲏𐲐𐲑𐲒𐲓𐲔𐲕𐲖𐲗𐲘𐲙𐲚𐲛𐲜𐲝𐲞𐲟𐲠𐲡𐲢𐲣𐲤𐲥𐲦𐲧𐲨𐲩𐲪𐲫𐲬'
    '𐲭𐲮𐲯𐲰𐲱𐲲𐵐𐵑𐵒𐵓𐵔𐵕𐵖𐵗𐵘𐵙𐵚𐵛𐵜𐵝𐵞𐵟𐵠𐵡𐵢𐵣𐵤𐵥𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪𑢫𑢬𑢭𑢮𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟𖺠𖺡𖺢𖺣𖺤𖺥𖺦𖺧'
    '𖺨𖺩𖺪𖺫𖺬𖺭𖺮𖺯𖺰𖺱𖺲𖺳𖺴𖺵𖺶𖺷𖺸𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇𞤈𞤉𞤊𞤋𞤌𞤍𞤎𞤏𞤐𞤑𞤒𞤓𞤔𞤕𞤖𞤗𞤘𞤙𞤚𞤛𞤜𞤝𞤞𞤟𞤠𞤡';
  smalls CONSTANT text :=
    'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžɓƃƅɔƈɖɗƌ'
    'ǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǆǆǉǉǌǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǳǵƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗșțȝȟƞȣȥȧȩȫȭȯȱȳⱥȼƚⱦɂƀʉʌɇɉɋɍɏͱ'
    'ͳͷϳάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋϗϙϛϝϟϡϣϥϧϩϫϭϯθϸϲϻͻͼͽѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъы'
    'ьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧ'
    'ԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕⴖⴗⴘⴙⴚⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿꮀꮁ'
    'ꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼꮽꮾꮿᏸᏹᏺᏻᏼᏽᲊაბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხ'
    'ჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿḁḃḅḇḉḋḍḏḑḓḕḗḙḛḝḟḡḣḥḧḩḫḭḯḱḳḵḷḹḻḽḿṁṃṅṇṉṋṍṏṑṓṕṗṙṛṝṟṡṣṥṧṩṫṭṯṱṳṵṷṹṻṽṿẁẃẅẇẉẋẍẏẑẓẕßạảấầẩẫậắằ'
    'ẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹỻỽỿἀἁἂἃἄἅἆἇἐἑἒἓἔἕἠἡἢἣἤἥἦἧἰἱἲἳἴἵἶἷὀὁὂὃὄὅὑὓὕὗὠὡὢὣὤὥὦὧᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔ'
    'ᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾰᾱὰᾳὲὴῃῐῑὶῠῡὺῥὸὼῳⅎⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅺⅻⅼⅽⅾⅿↄⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙⓚⓛⓜⓝⓞⓟⓠⓡⓢⓣⓤⓥⓦⓧⓨⓩⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅⱆⱇⱈⱉⱊⱋ'
    'ⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱟⱡɫᵽɽⱨⱪⱬɑɱɐɒⱳⱶȿɀⲁⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗ'
    'ꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑꚓꚕꚗꚙꚛꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅꞇꞌɥꞑꞓꞗꞙꞛꞝꞟꞡꞣꞥꞧꞩɦɜɡɬɪʞʇʝꭓꞵꞷꞹꞻꞽꞿ'
    'ꟁꟃꞔʂᶎꟈꟊɤꟍ꟏ꟑꟓꟕꟗꟙꟛƛꟶａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏𐓘𐓙𐓚𐓛𐓜𐓝𐓞𐓟𐓠𐓡𐓢𐓣𐓤𐓥𐓦𐓧'
    '𐓨𐓩𐓪𐓫𐓬𐓭𐓮𐓯𐓰𐓱𐓲𐓳𐓴𐓵𐓶𐓷𐓸𐓹𐓺𐓻𐖗𐖘𐖙𐖚𐖛𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪𐖫𐖬𐖭𐖮𐖯𐖰𐖱𐖳𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼𐳀𐳁𐳂𐳃𐳄𐳅𐳆𐳇𐳈𐳉𐳊𐳋𐳌𐳍𐳎𐳏𐳐𐳑𐳒𐳓𐳔𐳕𐳖𐳗𐳘𐳙𐳚𐳛𐳜𐳝𐳞𐳟𐳠𐳡𐳢𐳣𐳤𐳥𐳦𐳧𐳨𐳩𐳪𐳫𐳬'
    '𐳭𐳮𐳯𐳰𐳱𐳲𐵰𐵱𐵲𐵳𐵴𐵵𐵶𐵷𐵸𐵹𐵺𐵻𐵼𐵽𐵾𐵿𐶀𐶁𐶂𐶃𐶄𐶅𑣀𑣁𑣂𑣃𑣄𑣅𑣆𑣇𑣈𑣉𑣊𑣋𑣌𑣍𑣎𑣏𑣐𑣑𑣒𑣓𑣔𑣕𑣖𑣗𑣘𑣙𑣚𑣛𑣜𑣝𑣞𑣟𖹠𖹡𖹢𖹣𖹤𖹥𖹦𖹧𖹨𖹩𖹪𖹫𖹬𖹭𖹮𖹯𖹰𖹱𖹲𖹳𖹴𖹵𖹶𖹷𖹸𖹹𖹺𖹻𖹼𖹽𖹾𖹿𖺻𖺼𖺽𖺾𖺿𖻀𖻁𖻂'
    '𖻃𖻄𖻅𖻆𖻇𖻈𖻉𖻊𖻋𖻌𖻍𖻎𖻏𖻐𖻑𖻒𖻓𞤢𞤣𞤤𞤥𞤦𞤧𞤨𞤩𞤪𞤫𞤬𞤭𞤮𞤯𞤰𞤱𞤲𞤳𞤴𞤵𞤶𞤷𞤸𞤹𞤺𞤻𞤼𞤽𞤾𞤿𞥀𞥁𞥂𞥃';
  local_length CONSTANT int := length(address) - strpos(reverse(address), '@');
  domain CONSTANT text := substr(address, local_length + 2);
  -- The final sigma is the same character: which one a capital becomes depends on its place.
  local_part text := replace(replace(normalize(left(address, local_length)), 'İ', 'i̇'), 'ς', 'σ');
  name text := replace(normalize(domain, NFKC), 'İ', 'i̇');
  -- Only these are searched among the capitals.
  letters CONSTANT text := regexp_replace(local_part || name, '[\x01-\x7f]+', '', 'g');
  small_letters CONSTANT text := translate(letters, capitals, smalls);
  labels text[];
  points int[];
  -- The variables of Punycode (RFC 3492, section 6.3).
  n int;
  delta int;
  bias int;
  handled int;
  basic int;
  smallest int;
  point int;
  q int;
  k int;
  t int;
BEGIN
  local_part := normalize(translate(lower(local_part COLLATE "C"), letters, small_letters));
  IF local_length = length(address) THEN
    RETURN local_part;
  END IF;
  name := normalize(translate(lower(name COLLATE "C"), '。' || letters, '.' || small_letters), NFKC);
  labels := string_to_array(name, '.');
  FOR i IN 1 .. cardinality(labels) LOOP
    CONTINUE WHEN octet_length(labels[i]) = length(labels[i]);
    points := ARRAY(SELECT ascii(letter) FROM string_to_table(labels[i], NULL) AS letter);
    -- A label that is too long has no name in the DNS. Longer ones would also overflow the numbers below.
    EXIT WHEN cardinality(points) > 63;
    labels[i] := regexp_replace(labels[i], '[^\x01-\x7f]', '', 'g');
    basic := length(labels[i]);
    labels[i] := 'xn--' || labels[i] || CASE WHEN basic > 0 THEN '-' ELSE '' END;
    handled := basic;
    n := 128;
    delta := 0;
    bias := 72;
    WHILE handled < cardinality(points) LOOP
      smallest := (SELECT min(each) FROM unnest(points) AS each WHERE each >= n);
      delta := delta + (smallest - n) * (handled + 1);
      n := smallest;
      FOREACH point IN ARRAY points LOOP
        IF point < n THEN
          delta := delta + 1;
        ELSIF point = n THEN
          q := delta;
          k := 36;
          LOOP
            t := least(greatest(k - bias, 1), 26);
            EXIT WHEN q < t;
            labels[i] := labels[i] || substr('abcdefghijklmnopqrstuvwxyz0123456789', t + (q - t) % (36 - t) + 1, 1);
            q := (q - t) / (36 - t);
            k := k + 36;
          END LOOP;
          labels[i] := labels[i] || substr('abcdefghijklmnopqrstuvwxyz0123456789', q + 1, 1);
          delta := delta / CASE WHEN handled = basic THEN 700 ELSE 2 END;
          delta := delta + delta / (handled + 1);
          k := 0;
          WHILE delta > 455 LOOP
            delta := delta / 35;
            k := k + 36;
          END LOOP;
          bias := k + 36 * delta / (delta + 38);
          delta := 0;
          handled := handled + 1;
        END IF;
      END LOOP;
      delta := delta + 1;
      n := n + 1;
    END LOOP;
  END LOOP;
  name := array_to_string(labels, '.');
  -- A domain without a name in the DNS stays as it is, in lower case.
  IF octet_length(name) > 253 OR octet_length(name) > length(name)
    OR EXISTS (SELECT FROM unnest(labels) AS label WHERE length(label) > 63) THEN
    name := normalize(lower(domain COLLATE "C"));
  END IF;
  RETURN local_part || '@' || name;
END $$;
-- The form in which e-mail addresses are compared: all spellings of a mailbox have the same one. Characters are lower case and composed
-- (NFC), the domain is in ASCII (RFC 5891). The planner replaces it by its expression, which has the speed of `lower` for addresses
-- in ASCII. `addressKey` in src/kernel/address-key.ts is the same.
CREATE FUNCTION address_key(address text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN octet_length(address) = length(address) THEN lower(address COLLATE "C")
    ELSE international_address_key(address) END;

-- accounts

-- A key has 1 to 20 scopes, or `full_access` alone.
ALTER TABLE api_key ADD CONSTRAINT api_key_scopes_check
  CHECK (cardinality(scopes) BETWEEN 1 AND 20 AND ('full_access' <> ALL (scopes) OR cardinality(scopes) = 1));
-- Over an expression: an address belongs to one user of the account, regardless of its spelling.
CREATE UNIQUE INDEX user_account_id_address_key ON "user" (account_id, address_key(email));
-- Over an expression: the users with an address, of all accounts.
CREATE INDEX user_address_idx ON "user" (address_key(email));
-- GIN: entries of the audit log by an object, within the account.
CREATE INDEX audit_entry_objects_idx ON audit_entry USING gin
  (account_id, objects)
  WITH (gin_pending_list_limit = 32768);
-- Few rows that change with each request.
ALTER TABLE quota_usage SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- events

-- Partitioned, so that old events are dropped with their partition instead of being deleted one by one. The default partition takes
-- rows that fit no other one, so that no event is refused because a partition is missing.
CREATE TABLE outbox_event_default PARTITION OF outbox_event DEFAULT;
-- Partial: the sequencer finds the few events without a position, however many have one.
CREATE INDEX outbox_event_unstamped_idx ON outbox_event (id) WHERE position IS NULL;
-- Partial: pages of events of some types. An event without a position is not entered.
CREATE INDEX outbox_event_type_idx ON outbox_event (account_id, type, position) WHERE position IS NOT NULL;
-- Partial, over an expression: pages of events about a contact, by type.
CREATE INDEX outbox_event_contact_idx ON outbox_event (account_id, type, (data ->> 'contactId'), position)
  WHERE position IS NOT NULL AND data ->> 'contactId' IS NOT NULL;
-- Partial, over an expression: pages of events about a tag, by type.
CREATE INDEX outbox_event_tag_idx ON outbox_event (account_id, type, (data ->> 'tagId'), position)
  WHERE position IS NOT NULL AND data ->> 'tagId' IS NOT NULL;
-- Partial, over an expression: pages of events about a form, by type.
CREATE INDEX outbox_event_form_idx ON outbox_event (account_id, type, (data ->> 'formId'), position)
  WHERE position IS NOT NULL AND data ->> 'formId' IS NOT NULL;
-- Partial, over an expression: pages of events about a funnel, by type.
CREATE INDEX outbox_event_funnel_idx ON outbox_event (account_id, type, (data ->> 'funnelId'), position)
  WHERE position IS NOT NULL AND data ->> 'funnelId' IS NOT NULL;
-- Partial, over an expression: pages of events about a sequence, by type.
CREATE INDEX outbox_event_sequence_idx ON outbox_event (account_id, type, (data ->> 'sequenceId'), position)
  WHERE position IS NOT NULL AND data ->> 'sequenceId' IS NOT NULL;
-- Partial, over an expression: pages of events about a campaign, by type.
CREATE INDEX outbox_event_campaign_idx ON outbox_event (account_id, type, (data ->> 'campaignId'), position)
  WHERE position IS NOT NULL AND data ->> 'campaignId' IS NOT NULL;
-- Partial: due deliveries to the URL of each webhook are found across accounts, however many deliveries are complete or meant for
-- a former URL.
CREATE INDEX webhook_delivery_pending_idx ON webhook_delivery (account_id, webhook_id, generation, due_at, id)
  WHERE state = 'PENDING';
-- The only row: the position of the last event.
INSERT INTO event_counter DEFAULT VALUES;
-- Few rows that change with each batch of events.
ALTER TABLE log_reader SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE event_counter SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- contacts

-- Over an expression: e-mail addresses are unique in the account regardless of their spelling, and stored as given.
CREATE UNIQUE INDEX contact_account_id_address_key ON contact (account_id, address_key(email));
-- The form in which the words of a contact are searched, if they are not in ASCII: it takes ten times as long to make as to compare,
-- and an index of trigrams compares each row that it finds.
ALTER TABLE contact ADD COLUMN words text GENERATED ALWAYS AS (
  CASE WHEN octet_length(email || first_name || last_name || company_name || phone)
    > length(email || first_name || last_name || company_name || phone)
    THEN search_key(' ' || email || ' ' || first_name || ' ' || last_name || ' ' || company_name || ' ' || phone) END) STORED;
-- Trigrams over an expression: search by words in the e-mail address, names, company and phone number, within the account.
CREATE INDEX contact_words_idx ON contact USING gin
  (account_id, coalesce(words,
    lower((' ' || email || ' ' || first_name || ' ' || last_name || ' ' || company_name || ' ' || phone) COLLATE "C")) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- Trigrams: contacts by telephone number, company, city and country, within the account.
CREATE INDEX contact_details_idx ON contact USING gin
  (account_id, lower(phone) gin_trgm_ops, lower(company_name) gin_trgm_ops, lower(city) gin_trgm_ops, lower(country) gin_trgm_ops,
   lower(time_zone) gin_trgm_ops, lower(locale) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- Over an expression, with a collation: contacts in the order of their first name, and by their first name regardless of case.
CREATE INDEX contact_first_name_idx ON contact (account_id, lower(first_name) COLLATE dictionary, first_name COLLATE dictionary, id);
-- Over an expression, with a collation: contacts in the order of their last name, and by their last name regardless of case.
CREATE INDEX contact_last_name_idx ON contact (account_id, lower(last_name) COLLATE dictionary, last_name COLLATE dictionary, id);
-- Over an expression, with a collation: tags in the order of their name.
CREATE INDEX tag_name_idx ON tag (account_id, lower(name) COLLATE dictionary, name COLLATE dictionary, id);
-- Over an expression: values of a custom field by equality and beginning. The whole value may be too long for an index row.
CREATE INDEX contact_field_value_idx ON contact_field (account_id, custom_field_id, left(lower(value), 100) text_pattern_ops, contact_id);
-- Trigrams: values of a custom field by a part.
CREATE INDEX contact_field_search_idx ON contact_field USING gin
  (account_id, custom_field_id, lower(value) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- Partial: only values of the type NUMBER.
CREATE INDEX contact_field_number_idx ON contact_field (account_id, custom_field_id, number, contact_id) WHERE number IS NOT NULL;
-- Partial: only values of the type DATE.
CREATE INDEX contact_field_day_idx ON contact_field (account_id, custom_field_id, day, contact_id) WHERE day IS NOT NULL;
-- Copies the time at which the contact was created into its tags, by which lists of a tag are sorted.
CREATE FUNCTION contact_tag_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT c.created_at INTO NEW.contact_created_at FROM contact c
  WHERE c.account_id = NEW.account_id AND c.id = NEW.contact_id;
  -- Without a contact, the foreign key rejects the row.
  NEW.contact_created_at := coalesce(NEW.contact_created_at, NEW.created_at);
  RETURN NEW;
END $$;
CREATE TRIGGER contact_tag_order BEFORE INSERT OR UPDATE OF account_id, contact_id, contact_created_at ON contact_tag
  FOR EACH ROW EXECUTE FUNCTION contact_tag_order();
-- Changes the copies with that time.
CREATE FUNCTION contact_created_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE contact_tag ct SET contact_created_at = NEW.created_at
  WHERE ct.account_id = NEW.account_id AND ct.contact_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER contact_created_at AFTER UPDATE OF created_at ON contact
  FOR EACH ROW WHEN (OLD.created_at IS DISTINCT FROM NEW.created_at) EXECUTE FUNCTION contact_created_at();

-- Space for new versions of rows on the same page, so that their indexes stay as they are. Imports and bulk jobs change contacts, and
-- lists read past dead entries. The planner takes an account that is newer than its statistics for one row: beside an account of
-- 1,000,000 contacts, the default would analyse the table after 50,000 changes. ANALYZE reads a sample, which does not grow with
-- the table.
ALTER TABLE contact SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
ALTER TABLE contact_tag SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
ALTER TABLE contact_field SET (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 5000);
-- All rows of these tables are removed again within minutes. They are small, so they are vacuumed without pauses.
ALTER TABLE contact_import_chunk SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE bulk_job_chunk SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);

-- content

-- Media files are compressed already. Uncompressed, parts of them are read without the rest.
ALTER TABLE media_file ALTER COLUMN body SET STORAGE EXTERNAL;

-- mail, sequences, campaigns

-- Partitioned, so that old opens and clicks are dropped with their partition.
CREATE TABLE mail_open_default PARTITION OF mail_open DEFAULT;
CREATE TABLE mail_click_default PARTITION OF mail_click DEFAULT;
-- The time zone of a contact, or that of its account: if the contact has none, or one that only the program that checked it knows.
CREATE FUNCTION known_zone(zone text, of_account text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF zone = '' THEN
    RETURN of_account;
  END IF;
  BEGIN
    PERFORM now() AT TIME ZONE zone;
    RETURN zone;
  EXCEPTION WHEN invalid_parameter_value THEN
    RETURN of_account;
  END;
END $$;
-- The earliest time from `planned_at` on at which a message may be sent, and the rule that forbids `planned_at`, if any. The hours are
-- minutes of the day in the zone of the contact (`known_zone`). What ends at a local time that does not exist ends as much later as
-- the clock is put forward, and what ends at one that exists twice ends with the second. A window of which nothing is left is ignored.
CREATE FUNCTION sending_time(planned_at timestamptz, zone text, of_account text, days_off int[], quiet_from int, quiet_until int,
  window_from int, window_until int, OUT allowed_at timestamptz, OUT reason delay_reason) LANGUAGE plpgsql STABLE AS $$
DECLARE
  local_at timestamp;
  minute int;
  rule delay_reason;
  ends_at int;
BEGIN
  allowed_at := planned_at;
  IF quiet_from IS NULL AND window_from IS NULL AND cardinality(days_off) = 0 THEN
    RETURN;
  END IF;
  zone := known_zone(zone, of_account);
  FOR step IN 1 .. 60 LOOP
    local_at := allowed_at AT TIME ZONE zone;
    minute := extract(hour FROM local_at) * 60 + extract(minute FROM local_at);
    IF extract(isodow FROM local_at) = ANY (days_off) THEN
      rule := 'DAY_OFF';
      ends_at := 0;
    ELSIF (CASE WHEN quiet_from < quiet_until THEN minute >= quiet_from AND minute < quiet_until
        ELSE minute >= quiet_from OR minute < quiet_until END) THEN
      rule := 'QUIET_HOURS';
      ends_at := quiet_until;
    ELSIF (CASE WHEN window_from < window_until THEN minute < window_from OR minute >= window_until
        ELSE minute < window_from AND minute >= window_until END) THEN
      rule := 'SEND_WINDOW';
      ends_at := window_from;
    ELSE
      RETURN;
    END IF;
    reason := coalesce(reason, rule);
    allowed_at := (date_trunc('day', local_at) + make_interval(days => CASE WHEN ends_at > minute THEN 0 ELSE 1 END, mins => ends_at))
      AT TIME ZONE zone;
  END LOOP;
  SELECT s.allowed_at, s.reason INTO allowed_at, reason
  FROM sending_time(planned_at, zone, of_account, days_off, quiet_from, quiet_until, NULL, NULL) s;
END $$;
-- The time until which a contact gets no other message, because it has `counts[i]` of the last `days[i]` days; null if it may get one
-- now, and -infinity if another transaction decides about the contact at the moment. Counts messages that were sent, may have been
-- sent, or are being sent, and those that are tried again; for one that is tried again, only those of them that are older, so that no
-- two of them hold back each other. Volatile: each query sees what was committed before the lock, which ends
-- with the transaction, so that no two transactions send the last message of a limit.
CREATE FUNCTION frequency_hold(account int, contact int, message bigint, is_retry boolean, counts int[], days int[],
  now_at timestamptz) RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  since timestamptz;
  nth timestamptz;
  until timestamptz;
BEGIN
  IF NOT pg_try_advisory_xact_lock(account, contact) THEN
    RETURN '-infinity';
  END IF;
  FOR i IN 1 .. cardinality(counts) LOOP
    since := now_at - make_interval(days => days[i]);
    SELECT s.counted_at INTO nth FROM (
      (SELECT r.sent_at AS counted_at FROM mail_recipient r
        WHERE r.account_id = account AND r.contact_id = contact AND r.sent_at > since AND r.id <> message
        ORDER BY r.sent_at DESC LIMIT counts[i])
      UNION ALL
      SELECT least(r.due_at, now_at) FROM mail_recipient r
      WHERE r.account_id = account AND r.contact_id = contact AND r.sent_at IS NULL AND r.due_at > since AND r.id <> message
        AND (r.state::text IN ('SENDING', 'UNKNOWN')
          OR r.state::text IN ('QUEUED', 'CLAIMED') AND r.attempts > 0 AND (r.id < message OR NOT is_retry))
    ) s ORDER BY s.counted_at DESC OFFSET counts[i] - 1 LIMIT 1;
    until := greatest(until, nth + make_interval(days => days[i]));
  END LOOP;
  RETURN until;
END $$;
-- Partial: the opens of a contact by people. The contact may have been deleted.
CREATE INDEX mail_open_timeline_idx ON mail_open (account_id, contact_id, created_at DESC, id DESC)
  WHERE contact_id IS NOT NULL AND NOT is_bot;
-- Partial: the clicks of a contact by people. The contact may have been deleted.
CREATE INDEX mail_click_timeline_idx ON mail_click (account_id, contact_id, created_at DESC, id DESC)
  WHERE contact_id IS NOT NULL AND NOT is_bot;
-- Partial, over an expression: finds the due messages of a source in order, however many were sent before.
CREATE INDEX mail_recipient_queue_idx ON mail_recipient (account_id, coalesce(campaign_id, 0), due_at, id) WHERE state = 'QUEUED';
-- Partial: finds the claims of workers whose lease has expired among the few claimed rows.
CREATE INDEX mail_recipient_busy_idx ON mail_recipient (account_id, coalesce(campaign_id, 0), worker_id)
  WHERE state IN ('CLAIMED', 'SENDING');
-- Partial: counts the few messages that bounced in a period, by cause.
CREATE INDEX mail_recipient_bounces_idx ON mail_recipient (account_id, failed_at) INCLUDE (failure_cause) WHERE state = 'BOUNCED';
-- Partial: workers look for due sources of all accounts. Paused sources are not included.
CREATE INDEX mail_source_due_idx ON mail_source (due_at) WHERE is_open;
-- Over an expression: an address is suppressed once in the account, regardless of its spelling.
CREATE UNIQUE INDEX suppression_account_id_address_key ON suppression (account_id, address_key(email));
-- Trigrams over an expression: suppressions by a part of the address, within the account.
CREATE INDEX suppression_words_idx ON suppression USING gin
  (account_id, search_key(' ' || email) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- An enrolment that ended before its last stage has a reason, and no other one.
ALTER TABLE enrolment ADD CONSTRAINT enrolment_end_reason_check CHECK ((state = 'ENDED') = (end_reason IS NOT NULL));
-- Partial: one active enrolment per contact and sequence, and any number of ended ones.
CREATE UNIQUE INDEX enrolment_live_key ON enrolment (account_id, contact_id, sequence_id) WHERE state = 'ACTIVE';
-- Partial: audiences and counts read the contacts of a sequence, and those that wait for a stage, from the index alone.
CREATE INDEX enrolment_sequence_idx ON enrolment (account_id, sequence_id, contact_id) INCLUDE (next_stage_id) WHERE state = 'ACTIVE';
-- Partial: the ends of the enrolments of a contact. Active ones have no end.
CREATE INDEX enrolment_ended_idx ON enrolment (account_id, contact_id, ended_at DESC, id DESC) WHERE ended_at IS NOT NULL;
-- Partial: due enrolments are found per account. Only active enrolments can be due.
CREATE INDEX enrolment_due_idx ON enrolment (account_id, due_at) WHERE state = 'ACTIVE' AND due_at IS NOT NULL;
-- Partial: the scheduler looks for due campaigns of all accounts. Only scheduled campaigns can be due.
CREATE INDEX campaign_due_idx ON campaign (scheduled_for) WHERE status = 'SCHEDULED';
-- Partial: a job looks for due reminders of all accounts. Few confirmations wait for one.
CREATE INDEX confirmation_due_idx ON confirmation (remind_at) WHERE remind_at IS NOT NULL;
-- Each message is changed three times, and claims read past dead entries of its queue. A fifth of 20,000,000 rows would be
-- 4,000,000 dead ones.
ALTER TABLE mail_recipient SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- Each stage changes an enrolment twice, and the scheduler reads past dead entries of due ones.
ALTER TABLE enrolment SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
-- Each sent message changes a row. No index has its times, so the new version stays on the page if the page has space.
ALTER TABLE latest_message SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
-- Few rows that change with each claim or each recorded batch.
ALTER TABLE mail_source SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE mail_worker SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE campaign SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- figures

-- Partial: the job that compacts the figures finds the few totals that became 0.
CREATE INDEX figure_part_total_zero_idx ON figure_part_total (account_id) WHERE value = 0;
-- All rows of these tables are removed again within minutes. They are small, so they are vacuumed without pauses.
ALTER TABLE figure_delta SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE figure_part_delta SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- finance

-- Over an expression: one customer per address in the account, regardless of its spelling.
CREATE UNIQUE INDEX customer_account_id_address_key ON customer (account_id, address_key(email));
-- Trigrams over an expression: customers and their purchases by words, within the account.
CREATE INDEX customer_search_idx ON customer USING gin
  (account_id, search_key(' ' || email || ' ' || first_name || ' ' || last_name || ' ' || company_name || ' ' || vat_number) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- Over an expression, with a collation: customers in the order of their last names, and by their last name regardless of case.
CREATE INDEX customer_last_name_idx ON customer (account_id, lower(last_name) COLLATE dictionary, last_name COLLATE dictionary, id);
-- No more than the order is refunded.
ALTER TABLE "order" ADD CONSTRAINT order_refunded_amount_check CHECK (refunded_amount BETWEEN 0 AND amount);
-- Includes currency and amounts: totals of orders by status and period are read from the index alone.
CREATE INDEX order_sales_idx ON "order" (account_id, status, created_at DESC, id DESC) INCLUDE (currency, amount, refunded_amount);
-- Includes status, currency and amounts: the purchases of contacts are read from the index alone.
CREATE INDEX order_customer_idx ON "order" (account_id, customer_id, created_at DESC, id DESC)
  INCLUDE (status, currency, amount, refunded_amount);
-- Partial: sales of a funnel are read from the orders that funnels created.
CREATE INDEX order_step_idx ON "order" (account_id, step_id, created_at) WHERE step_id IS NOT NULL;
-- Trigrams over an expression: orders by a part of the shop's id, within the account.
CREATE INDEX order_search_idx ON "order" USING gin
  (account_id, search_key(' ' || id_order) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- Trigrams over an expression: lines of orders by the name of the product, within the account.
CREATE INDEX order_line_name_idx ON order_line USING gin
  (account_id, lower(name) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- Partial: the few refunds of orders, with their amounts.
CREATE INDEX transaction_refunded_idx ON transaction (account_id, order_id)
  INCLUDE (currency, amount)
  WHERE status = 'REFUNDED' AND order_id IS NOT NULL;
-- Trigrams over an expression: transactions by a part of the payment provider's id, within the account.
CREATE INDEX transaction_search_idx ON transaction USING gin
  (account_id, search_key(' ' || id_transaction) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- Includes currency and amount: the credit notes of orders are read from the index alone.
CREATE INDEX credit_note_order_idx ON credit_note (account_id, order_id) INCLUDE (currency, amount_incl_vat);
-- Trigrams over an expression: invoices by their number and the buyer at the time of issue, within the account.
CREATE INDEX invoice_search_idx ON invoice USING gin
  (account_id, search_key(' ' || prefix || lpad(number::text, greatest(6, length(number::text)), '0') || ' ' || prefix || number::text
    || ' ' || number::text || ' ' || coalesce(buyer ->> 'email', '') || ' ' || coalesce(buyer ->> 'name', '')
    || ' ' || coalesce(buyer ->> 'companyName', '')) gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);

-- forms, funnels

-- GIN: submissions by an exact answer, for any option of a multiple choice, within the account and question.
CREATE INDEX answer_values_idx ON answer USING gin
  (account_id, question_id, "values")
  WITH (gin_pending_list_limit = 32768);
-- Trigrams: submissions by a part of an answer, within the account and question.
CREATE INDEX answer_search_idx ON answer USING gin
  (account_id, question_id, search gin_trgm_ops)
  WITH (gin_pending_list_limit = 32768);
-- Over an expression: submissions by status. The name of an enum value cannot be indexed.
CREATE INDEX submission_status_idx ON submission (account_id, ((status = 'COMPLETED')::integer), id);
-- Over an expression: submissions by completion. Those in progress have no time.
CREATE INDEX submission_completed_idx ON submission (account_id, coalesce(completed_at, '1970-01-01 00:00:00+00'::timestamptz), id);
-- Partitioned, so that a month of visits is dropped at once. The default partition takes rows that fit no other one.
CREATE TABLE visit_default PARTITION OF visit DEFAULT;
-- All rows are removed again within minutes.
ALTER TABLE uncounted_visit SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
-- Partial: the visits of a contact, for its timeline and its deletion. Most visits have no contact.
CREATE INDEX visit_timeline_idx ON visit (account_id, contact_id, created_at DESC, id DESC) WHERE contact_id IS NOT NULL;
-- Partial: the contacts that visited a step. Most visits have no contact.
CREATE INDEX visit_step_contact_idx ON visit (account_id, step_id, contact_id) WHERE contact_id IS NOT NULL AND NOT is_bot;

-- keys

-- What refers to the primary and foreign keys of all tables follows. They are created here, after all indexes.

-- Deleting a contact keeps its customer: SET NULL for one column of the key only.
ALTER TABLE customer DROP CONSTRAINT customer_account_id_contact_id_fkey,
  ADD CONSTRAINT customer_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES contact (account_id, id)
  ON DELETE SET NULL (contact_id) ON UPDATE NO ACTION;
