/// The style sheet of the page, for light and dark colour schemes, narrow windows and print.
enum PageStyle {
    static let text = """
        :root{color-scheme:light dark;--page:#fff;--ink:#1c2128;--soft:#59636e;--line:#d9dee4;--panel:#f5f7f9;
        --idr:#c2255c;--cra:#9c36b5;--bla:#862e9c;--i:#e8590c;--p:#3b5bdb;--b:#0c8599;--u:#868e96;--warn:#9a3412;--warnbg:#fff4e6;--hit:#1c212814}
        @media (prefers-color-scheme:dark){:root{--page:#12161b;--ink:#e4e8ec;--soft:#9aa5b1;--line:#2d343c;
        --panel:#1a2027;--idr:#f06595;--cra:#da77f2;--bla:#e599f7;--i:#ffa94d;--p:#748ffc;--b:#3bc9db;--u:#909aa4;--warn:#ffc078;--warnbg:#2e2418;
        --hit:#ffffff1c}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--page);color:var(--ink);
        font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
        main{max-width:1080px;margin:0 auto;padding:32px 24px 64px}
        h1{font-size:26px;line-height:1.25;margin:0;overflow-wrap:anywhere;letter-spacing:-.01em}
        h2{font-size:18px;margin:44px 0 10px}
        h3{font-size:15px;margin:0}
        p{margin:4px 0;max-width:75ch}
        .soft,caption,figcaption{color:var(--soft)}
        .facts{display:flex;flex-wrap:wrap;gap:1px;margin:24px 0 0;padding:0;
        background:var(--line);border:1px solid var(--line);border-radius:8px;overflow:hidden}
        .facts div{flex:1 1 150px;background:var(--page);padding:12px 16px}
        .facts dt{color:var(--soft);font-size:13px}
        .facts dd{margin:0;font-size:19px;font-weight:600;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
        .facts dd small{display:block;font-size:13px;font-weight:400;color:var(--soft)}
        .rows{display:grid;grid-template-columns:max-content 1fr;gap:4px 20px;margin:20px 0 0}
        .rows dt{color:var(--soft)} .rows dt::first-letter{text-transform:uppercase} .rows dd{margin:0;overflow-wrap:anywhere}
        figure{margin:0} figcaption{font-size:13px;margin-top:4px}
        .scroll{overflow-x:auto} .scroll:focus-visible,summary:focus-visible{outline:2px solid var(--p);outline-offset:2px}
        .scroll svg{display:block;width:100%;min-width:720px;height:auto;font-size:12.5px}
        svg{overflow:visible} svg text{fill:var(--soft)} svg .e{text-anchor:end} svg .m{text-anchor:middle}
        .axis line{stroke:var(--line)} .hit{fill:transparent} g:hover>.hit,rect.hit:hover{fill:var(--hit)}
        .k-idr{fill:var(--idr);--c:var(--idr)} .k-i{fill:var(--i);--c:var(--i)} .k-p{fill:var(--p);--c:var(--p)}
        .k-cra{fill:var(--cra);--c:var(--cra)} .k-bla{fill:var(--bla);--c:var(--bla)}
        .k-b{fill:var(--b);--c:var(--b)} .k-u{fill:var(--u);--c:var(--u)}
        .gop path{stroke:var(--soft);fill:none} .gop .line{stroke-dasharray:2 4;opacity:.6}
        .gop .flag{fill:var(--soft)} .gop .open{fill:var(--page)}
        .area{fill:var(--p);opacity:.16} .rate{fill:none;stroke:var(--p);stroke-width:1.75}
        .mean{fill:none;stroke:var(--ink);stroke-dasharray:6 4}
        .legend{display:flex;flex-wrap:wrap;gap:4px 18px;margin:0 0 6px;padding:0;list-style:none;font-size:13px}
        .key{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:6px;background:var(--c)}
        .mark{width:12px;height:12px;margin-right:6px;vertical-align:-1px}
        table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
        caption{text-align:left;font-size:13px;padding-bottom:4px;position:absolute;clip-path:inset(50%);width:1px;
        height:1px;overflow:hidden;white-space:nowrap}
        th,td{padding:5px 10px;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap}
        th{font-size:13px;font-weight:500;color:var(--soft)} td:last-child,th:last-child{padding-right:0}
        td:first-child,th:first-child{padding-left:0}
        .wide{display:block;white-space:normal;overflow-wrap:anywhere;min-width:16em}
        .n{text-align:right} tbody tr:hover{background:var(--panel)}
        details{border:1px solid var(--line);border-radius:8px;margin:10px 0;padding:0 16px}
        summary{cursor:pointer;padding:10px 0;font-weight:600} summary .soft{font-weight:400}
        details[open]{padding-bottom:14px} details .scroll{max-height:480px;overflow:auto}
        .fields{columns:auto 300px;column-gap:40px;font-family:ui-monospace,"SF Mono",Menlo,Consolas,monospace;
        font-size:12.5px;margin:0}
        .fields div{display:flex;justify-content:space-between;gap:16px;break-inside:avoid;padding:3px 0;
        border-bottom:1px solid var(--line)}
        .fields dt{color:var(--soft);min-width:0} .fields dd{margin:0;text-align:right;flex:0 0 auto;max-width:55%;
        overflow-wrap:break-word}
        .problems{background:var(--warnbg);border:1px solid var(--warn);border-radius:8px;padding:12px 18px;margin:24px 0 0}
        .problems h2{margin:0 0 4px;color:var(--warn);font-size:16px} .problems ul{margin:0;padding-left:20px}
        .strip{font-family:ui-monospace,"SF Mono",Menlo,Consolas,monospace;letter-spacing:.06em}
        .strip b{color:var(--c);font-weight:600}
        footer{margin-top:56px;color:var(--soft);font-size:13px}
        @media (max-width:560px){main{padding:20px 16px 48px} h1{font-size:22px}
        .facts div{flex-basis:calc(50% - 1px);padding:10px 12px} .facts dd{font-size:16px}
        .rows{grid-template-columns:1fr;gap:0} .rows dd{margin-bottom:8px}}
        @media print{.scroll{overflow:visible;max-height:none} svg{min-width:0!important}}
        """
}
