# comment
@timeStamps true
