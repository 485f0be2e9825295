# comment
@problemName a
@timeStamps false
@missing true
@univariate false
@dimensions 2
@equalLength true
@seriesLength 2
@targetLabel false
@classLabel true a b
@data
1,2:3,?:a
1,2:3,4:c
1,2:a
1,2,3:4,5,6:a
1,2:3:a
1,2:3,x:b
