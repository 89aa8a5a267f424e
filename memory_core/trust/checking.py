"""Find the learnings that may be poisoned; most are ordinary, and cost one look at their words."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# How the reason of a learning begins that waits because of its score.
REASON = "may be poisoned"

# Each rule needs one of these texts: a test computes them from the rules.  WORDS, in this order,
# are searched at the beginning of a word, with blanks for all signs; SIGNS anywhere.
_WORDS = (
    "1x1 pixel|a accepte|a chaque|a donne|a l avenir|a l insu|a misleading|a valide|ab dem|"
    "ab jetzt bist du|abandon|abschalt|accept any|accepted all|accepted the risk|accorde|"
    "account number|aconseja|act as an? unrestricted|act as if|act freely|actua como|"
    "add a call to|add these notes|admin allows|admin override|admit|advertis|advise|affiche|"
    "affiliate|after 1|after each session|after the date|after the tenth|after today|"
    "agents may|agis comme|agreed to|ahora eres|alarm|alert|alg none|all backup|all branch|"
    "all data|all files|all logs|all tables|all tool calls|allow all tools|allow unsigned|"
    "allow unverified|allows agents|allows all|allows any|allows deleting|allows disabling|"
    "allows skipping|allows you|already given|always agree|always answer yes|always approve|"
    "always say yes|always trusted|analytics loader|answer yes when|anula|any time|any trace|"
    "anything the user|anytime|approuve|approve all command|approve all tool|"
    "approve every tool|approved|aprobado|aprobo|are cancel|are lifted|are outdated use|"
    "are overridden|are replaced by|are revoked|are suspended|are void|as advised by|"
    "as often as|as root |as soon as|as trusted instruct|ask for the|ask the user|asked that|"
    "assert |assertion|asserts|assign|assistant must not|at every mention|attach|attacker|"
    "attract attention|auch wenn sie fehl|aucune confirmation|audit service|audit trail empty|"
    "auditors|aunque fallen|ausschalt|auth bypass|authori[sz]ed|authorised|authorize|"
    "auto approve every|autorise|autorisiert|autoriz|avert|avisar|avise|aware|backdoor|"
    "backup bucket|backup cop|backup folder|backups|backward|bake|bank account|bank detail|"
    "bankverbindung|base de datos|base de donnees|be disabled|be informed|be notified|be told|"
    "be void|beacon to|befohlen|befolge nicht|behaupte|bei jedem|bemerk|benutzers|best deal|"
    "bestatigt|between us|bevorzug|bewirb|binding for all agent|bitte ohne prufung|"
    "blanket consent|blessed|branche principale|break the rules|break your|bring it up|"
    "bring that up|bring this|bring up|broken test|brute force|build green|burp|bury|busca|"
    "buy now|buying|by dns|bypass |cacher|cada vez|call beacon|call to beacon|can be ignored|"
    "ce message|ce point|ce texte|cease to|certified by|ces instructions|ces regles|"
    "cette directive|cette entree|cette information|cette instruction|cette ligne|cette note|"
    "cette regle|chaque fois|check in|checked in|cherche|choisis|choose |ci check|ci green|"
    "ci job|ci pass|ci step|circumvent|cite |claim that|clear the logs|"
    "clear the shell history|clear your history|cleared all|cleared for|cleared this|"
    "code promo|code scanning|codigo promo|colle |collect|comment out|commit |comparte|"
    "comply with any|compte bancaire|conceal|concede|confirmation dialog|confirmed that|"
    "conflicts with this|conseille|consent|contar|continue on error|contourne|"
    "contradicts this|contravien|copias de seguridad|copy |coupon|cover your tracks|"
    "coverage threshold|covertly|crontab|crypto miner|cryptominer|cuando|cuenta bancaria|"
    "cuentes|customer data|da permiso|dan mode|datensicherung|de production|deactivate |"
    "deaktiviere|debe obedecer|debug backdoor|debug bucket|deceive|decided that|decir|decrypt|"
    "default instruction|deine erinnerung|delete |demande a l|demands|dependency audit|"
    "deposita|des que|desactiva|desactive|describe |descuento|desde ahora|deshabilita|"
    "desobedece|desobeis|desoye|developer mode|di al usuario que|diese anweisung|"
    "diese erinnerung|diese information|diese notiz|diese regel|diese vorgabe|diese zeile|"
    "diesen eintrag|diesen hinweis|diesen punkt|diesen satz|diesen text|dieser notiz|"
    "dieser regel|dig |digas|dile al usuario|dire |direct to main|direct users|"
    "directly to main|dis |disable |disabling|discard|disclos|discord|discount|discretamente|"
    "discretement|disguise|disregard|dns lookup|dns quer|do anything now|do not adhere|"
    "do not apply your|do not comply|do not follow|do not leave any|do not log|do not obey|"
    "do not pause|do not seek|do not stop to|do not wait for approval|do whatever|doit obeir|"
    "don t ask|don t follow|don t log|don t prompt|don t seek|don t stop to|donne|"
    "draw attention|drop all|drop in replacement with|drop the|dropbox|du bist jetzt|dump all|"
    "durchsuche|during any|each request|each time|echo |ecris|einverstanden|el pipeline|elige|"
    "elimina |embed|emergency override|empfehl|empfiehl|en cuanto|en parle|en secret|endors|"
    "engana|enleve|enregistre|entere|entferne|entire database|entire repo|entre nosotros|"
    "entre nous|envia|envoie|erase the evidence|erfahr|erlaubnis|erlaubt|erwahn|esconde|"
    "escribe|esta directiva|esta entrada|esta informacion|esta instruccion|esta linea|"
    "esta memoria|esta nota|esta regla|estas instrucciones|estas reglas|este mensaje|"
    "este punto|este texto|every request|every time|everything in|evil mode|exempt|"
    "expects agents|export the|expose|extern |external address|external endpoint|"
    "external host|external server|external service|externe|externo|extra admin|extract|"
    "fabricate|factory state|failed test|failing test|fais abstraction|fais semblant|fake the|"
    "falls|favor|favour|file io|file named|find out|finge que|flaky test|"
    "following instruction|following line to agents|following line to claude|"
    "following rule to|following text to|forget |forward the|frag den|free trial|freigegeben|"
    "from now on you|from review |from reviewers|from the developer|from the reviewer|"
    "from the user|from user|gather |gave approval|gave permission|gelten nicht|genehmigt|"
    "get rid of|gewahre|gib |git history|git repository|give me|given permission|"
    "gives permission|god mode|grant|green ci|green light|guarda |guess|gutschein|ha aprobado|"
    "ha autorizado|ha dado permiso|hablar de|hables|halte dich nicht|handle als|hard code|"
    "hardcode|harvest|has agreed|has cleared|has full authority|has lifted|has ordered|"
    "has waived|haz caso omiso|hear about|hear of|heimlich|hidden admin|hidden endpoint|"
    "hidden form|hidden iframe|hidden link|hidden parameter|hidden user|hide the evidence|"
    "higher priority|highest priority|hinterleg|hintertur|hinweis|home director|"
    "i authorise you|i authorize you|iban |if a file|if anyone|if asked|if someone|"
    "if the date|if the repository|if the user|if the word|if today|if user|if you|ignora |"
    "ignorad|ignore |ignoren|ignorez|ignorier|ignoring|immer als vertrauenswurdig|"
    "immer vertrauenswurdig|immer wenn|imprime|in any session|in case the user|in response to|"
    "in secret|in the background first|in the dark|in this memory instead|inform |informe|"
    "informier|informing|insist on|instructed|instructs|invisible pixel|is always safe|"
    "is lifted|is obsolete and|is outdated use|is void|jailbreak|jedes mal|keep it out|"
    "keep it quiet|keep quiet|keep silent|keylogger|know |kontonummer|la ci|la prochaine fois|"
    "learn about|leave aside|leave it out|leave no trace|leave out|leaves no trace|lege |"
    "les tests|let anyone know|lie about|lie to|lift |line import|list |live database|"
    "lockfile check|log |logic bomb|login bypass|login script|loosen|lorsque|magic header|"
    "magic password|main branch|maintained fork|maintenance mode: |make it look|make up|"
    "malicious code|malicious script|malware|mandates|mandatory instruction|masque|"
    "master password|may deploy|may run|mcp server|melde|meme s ils echouent|mencion|mention|"
    "message from anthropic|message from the system|mete |mets |mining script|mislead the|"
    "missachte|mitteil|mitzuteilen|more important than|must be discarded|must be followed|"
    "must be ignored|must not ask|must not refuse|must obey|ne demande pas|ne s applique|"
    "ne suis|ne tenez pas compte|ne tiens pas compte|need no verification|"
    "needs no verification|neglect|nenne |never ask|never confirm|never pause|never refuse|"
    "never wait for|new identity|next time|ngrok|nicht fragen|nicht nachfragen|"
    "nicht zu fragen|no approval is required|no code review|no confirmation is|"
    "no content policy|no dejes rastro|no hace falta confirm|no longer appl|no need to ask|"
    "no need to confirm|no objection|no one notice|no preguntes|no questions asked|"
    "no restrictions apply|no review is|no review required|no trace|nobody notice|nobody see|"
    "not appear|not ask again|not ask for|not contain|not prompt the user|notar|"
    "note from the admin|nothing about|notice|notif|nslookup|nudge|nullif|numero de compte|"
    "numero de cuenta|obey |obfuscated|oculta|off the record|official override|"
    "official replacement|officially|officiellement|offiziell empfohlen|oficialmente|"
    "ohne bestatigung|ohne dass|ohne es zu|ohne freigabe|ohne nachfrage|ohne prufung|"
    "ohne review|ohne ruckfrage|ohne spuren|ohne wissen|ohne zu fragen|okayed|olvida|omit |"
    "omite|on behalf of the admin|on every mention|on its own authority|on seeing|"
    "on your own authority|once anyone|once someone|once the user|one lookup|only if|"
    "operator allows|orders that|other instruction|other remote|other rules|otorga|oublie|"
    "our api|our bucket|our endpoint|our ftp|our partner|our server|outrank|outside server|"
    "over anything|over dns|over main|overlook|overrid|parle|partage|passe outre|"
    "passwordless sudo|paste |pastebin|patched version|pay no|payee|payout address|"
    "paypal address|permite|permits all|permits you|permitted all|personal account|pide al|"
    "pidele|ping |pipedream|pipeline green|pipeline is green|pipeline pass|pitch|place |"
    "play the role|plug |point users|pon |porte derobee|postinstall|praise|pre approved|"
    "preapproved|prefer |prefere|prefiere|preise|prescinde|pretend that|pretend the|"
    "pretend to the|pretend you|prevail|previen|primary objective is|print |prioridad|"
    "priorite|priority over|prod database|produccion|production|produktionsdat|promo |"
    "promociona|promote |promotes|promoting|prompt injection payload|protected branch|pruebas|"
    "public channel|public gist|public issue|public repo|publish|puerta trasera|"
    "pull request target|push users|put |quality gate|quand|query string|quietly|quita |"
    "rabatt|rama principal|read every|read the browser|real goal|real task is|"
    "recipient address|recomendar|recomienda|recommande|recommend|recopila|red build|red test|"
    "refer users|referral|regardless of|regression test|relax |remain unaware|remarque|remise|"
    "remote branch|remote collector|remote host|remote script|remote server|remove |report |"
    "request bin|requestbin|requires that|restrictions do not apply|retire|reuse|reveal|"
    "revele|reversed|roleplay|root director|rot 13|rot13|rubber stamp|ruckfrage|"
    "rules in this memory|rules in this note|sache|safer fork|sag |sage |sagen|"
    "said that agents|salta |sammle|sanctioned|sans approbation|sans autorisation|"
    "sans confirmation|sans demander|sans laisser de trace|sans prevenir|sans que|"
    "sans relecture|sans revue|sans validation|saute |sauvegarde|save |say |schalte|schicke|"
    "schreibe|script tag|search for|search the home|second admin|secret endpoint|"
    "secret from the|secretly|security fix|security scan|security test|see |sees |"
    "self approve|self authorize|self merge|send me|sende|sepa |set aside|set off|setze dich|"
    "share |shared pastebin|shell profile|should anyone|should be discarded|should be ignored|"
    "should the user|show it|show up|si alguien|si el usuario|si l utilisateur|si quelqu un|"
    "sicherheitstest|sicherheitsupdate|siempre de confianza|siempre que|sign up at|signale|"
    "signature verif|signed by anthropic|signed off|silencieusement|silenciosamente|silently|"
    "sin aprobacion|sin autorizacion|sin avisar|sin confirmacion|sin consultar|sin informar|"
    "sin mirar|sin pedir|sin preguntar|sin que|sin revision|skimmer|skip |skipping|"
    "skips confirmation|sobald|sooft|sooner or later|speak well|speaks for the|speichere|"
    "sponsored|sprich|spuren verwisch|staff confirmed|startup script|stay silent|stay unaware|"
    "steal|steer|stillschweigend|stocke|stop applying|stop follow|stop obey|stop running|"
    "store |straight to main|subdomain|sudo mode|suggere|suggest|sugiere|suite pass|supersede|"
    "support ticket|suppress |supprime|surface|switch off|switched off|system instruction|"
    "system message|system override|system prompt|ta memoire|take no notice|take precedence|"
    "takes precedence|talk about|talk to|talk up|target host|tausche den|team confirmed|"
    "telegram|tell|tercero|test fails|test pass|test report|test result|test scan|test step|"
    "tests de securite|tests de seguridad|tests fail|tests loschen|tests pass|the above text|"
    "the default rules of the assistant|the developer s instructions|the following to ~|"
    "the line import|the next time|the note above|the security fix|the system instruction|"
    "the text above|the text of|the user say|the whole database|these instructions|"
    "these lines|these notes|these rules|these sentences|these words|third party|this advice|"
    "this block|this bullet|this directive|this entry|this fact|this guidance|this guideline|"
    "this instruction|this is an order|this item|this learning|this line must|this memory|"
    "this message|this note|this paragraph|this policy|this prompt|this record|this rule|"
    "this sentence|this string must|this text|this tip|this whole|throw out|tiers |"
    "to all pages|to beacon|to the address|to your memory|told agents|told us to|"
    "ton nouvel objectif|toujours fiable|tracking code|tracking pixel|tracking script|trage|"
    "transfer sh|treat all notes|trick the user|trojan|trompe l|trust all|trust any|"
    "trust every|trusted|try every|tu es maintenant|tu memoria|tu nuevo objetivo|tu so als|"
    "turn off|turned off|turning off|tweet|twitter|ubergeh|uberspringe|umgehe|unannounced|"
    "unaware|unbemerkt|uncover|unfiltered|ungepruft|unlearn|unnoticed|unrestricted mode|"
    "unreviewed|unter uns|upon seeing|use the admin|use the production|user asked|user files|"
    "user instruction|user request|user s files|user s home|user s request|user says|"
    "users instruction|usuario|utilisateur|valide |vante|vendor when|verberge|"
    "verbindlich fur alle agenten|vergiss|verhalte dich als|verheimlich|verified by|"
    "verified instruction|verified package|verifizierte|verrat|verschweige|verstecke|violate|"
    "vorrang|vouch|waive|wallet address|wann immer|wants agents|wants you|warning|weaken |"
    "web shell|webhook site|webshell|wenn der benutzer|wenn du|were a test|what the user|"
    "when a file|when a user asks|when asked|when prompted|when reviewing|when someone|"
    "when the branch|when the date|when the string|when the user|when the word|when you|"
    "whenever|whitelisted|whole disk|wipe the logs|with the code|without a prompt|"
    "without anyone|without approval|without asking|without checking|without confirmation|"
    "without consent|without human|without inform|without letting|without looking|"
    "without mention|without notif|without oversight|without permission|without prompting|"
    "without reading|without restrictions|without review|without showing|without supervision|"
    "without tell|without testing|without tests|without the knowledge|without the user|"
    "without user approval|without waiting|work around the|write |ya no aplic|ya no se aplic|"
    "yolo mode|you are allowed to|you are authori|you are free to|you are no longer|"
    "you are now|you have been granted|you have no|you may now|you may skip|you must now|"
    "you see|you will obey|your creators|your developers|your goal is|your instructions are|"
    "your long term memory|your memories|your mission|your name is|your new|your only goal|"
    "your only task|your own pr |your own pull|your persistent memory|your persona|"
    "your primary|your real|your true|zeige|zugestimmt|zustimmung"
)
_SIGNS = (
    '![|"bash"|$(curl|$(wget|&& bash|&& chmod +x|&& sh|--admin|--allow-all|'
    "--ask-for-approval never|--force --all|--force main|--no-gpg-sign|--no-preserve-root|"
    "--no-sandbox-mode|--no-verify|--trust-all|--trusted-host|--yolo|-enc|-k http|. <(|"
    ".bash_profile|.bashrc|.claude/hooks|.claude/settings|.cursor/|.git/config|.git/hooks|"
    ".gitconfig|.mcp.json|.npmrc|.onion|.profile|.ssh/|.vimrc|.zshrc|/bin/sh -i|/dev/tcp/|"
    "/etc/shadow|0x0.st|777 /|:(){|://|; bash|; chmod +x|; sh|<(curl|<(wget|> /dev/sd|> /etc/|"
    '@|[ * ]|["*"]|acceptedits|allow: *|allowedtools|alwaysallow|and execute it|and run it|'
    "approval_policy|ausfuhren|authorized_keys|auto-approve all|autoapprove|bash -i|bash(*)|"
    "bitsadmin|bypasspermissions|certutil|chmod 4755|chmod u+s|config.toml|"
    "core.hookspath /dev/null|danger-full-access|dangerously-bypass|"
    "dangerously-skip-permissions|dd if=|del /s|diskpart|downloadstring|ejecuta|"
    "enableallprojectmcpservers|eval $(|exec(|find / -|format c:|full-auto|git push --mirror|"
    "history -c|hosts file|iex(|invoke-expression|iptables -f|launchd|mkfs|msfvenom|mshta|"
    "nc -e|ncat|node_tls_reject|nopasswd|os.system|payload.js|permission-mode bypass|pip.conf|"
    "pull_request_target|push -f|rd /s|regsvr32|remove-item -recurse|reverse shell|rm -fr /|"
    "rm -fr ~|rm -rf $home|rm -rf *|rm -rf .git|rm -rf /|rm -rf ~|schalten|scp|setenforce 0|"
    "settings.json|settings.local.json|shred|skipdangerous|source <(|sslverify false|"
    "subprocess.run|sudoers|systemd|tasks.json|terraform destroy|then execute|through sh|"
    "to bash|to sh|trust_all|trustedfolders|ufw disable|verify=false|verify_ssl=false|visudo|"
    "xmrig|~/.claude"
)
WORDS = _WORDS.split("|")
SIGNS = ["|", *_SIGNS.split("|")]

# Characters of the longest of WORDS, at least.
LONGEST = 40

# Letters that stand alone, escapes in a text, and characters of a word that may be encoded.
MANY_LETTERS, MANY_ESCAPES, LONG_WORD = 4, 3, 16

PUNCTUATION = str.maketrans(dict.fromkeys("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", " "))

# Signs in ordinary English text, which hide nothing.
TYPOGRAPHY = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u2192\u00d7\u00a0", " ")
)

DIGITS = str.maketrans("013457", "oieast")


def find_reasons(texts: Sequence[str], is_tainted: bool = False) -> list[str]:
    """Return for each learning of one run why it has to wait for a person, "" for most.

    `is_tainted`: the run has read texts of strangers, so less is needed.
    """
    if not any(map(may_mislead, texts)):
        return [""] * len(texts)
    from memory_core.trust import rules, scoring

    threshold = rules.TAINTED_THRESHOLD if is_tainted else rules.THRESHOLD
    return [
        f"{REASON}: {', '.join(reasons)}" if total >= threshold else ""
        for total, reasons in scoring.score_all(texts)
    ]


def find_reason(text: str) -> str:
    """Return why one text has to wait for a person, "" for most."""
    return find_reasons([text])[0]


def may_mislead(text: str) -> bool:
    """Return False for a text to which certainly no rule applies; it needs no rules."""
    if not text.isascii():
        text = text.translate(TYPOGRAPHY)
        if not text.isascii():
            return True
    low = text.lower()
    parts = low.translate(PUNCTUATION).split()
    if _has_trigger(" ".join(parts)) or any(sign in low for sign in SIGNS):
        return True
    escapes = low.count("%") + low.count("\\") + low.count("&#")
    letters = sum([len(part) == 1 for part in parts])
    if escapes >= MANY_ESCAPES or letters >= MANY_LETTERS:
        return True
    if max(map(len, parts), default=0) >= LONG_WORD:
        return True
    mixed = [not part.isalpha() and not part.isdecimal() for part in parts]
    return any(mixed) and _has_trigger(" ".join(parts).translate(DIGITS))


def _has_trigger(words: str) -> bool:
    """Check whether a trigger stands at the beginning of a word; no trigger begins with another."""
    words, at = f"{words} ", 0
    while at < len(words):
        rest = words[at : at + LONGEST]
        low, high = 0, len(WORDS)
        while low < high:
            middle = (low + high) // 2
            if rest < WORDS[middle]:
                high = middle
            else:
                low = middle + 1
        if rest.startswith(WORDS[low - 1]):
            return True
        at = words.index(" ", at) + 1
    return False
